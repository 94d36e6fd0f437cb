//! To be written.
use super::Field;
use crate::limits::Limits;
pub(super) fn read(_text: &str, _limits: &Limits) -> Option<Vec<Field>> {
    None
}
