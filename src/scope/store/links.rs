//! Where a scope file really is: links followed to their end, also where the
//! file, or the folder for it, does not exist yet.

use std::io;
use std::path::{Path, PathBuf};

use super::{ScopePath, StoreError};
use crate::disk;

/// Links in a row that are followed, as Linux does.
const HOPS: usize = 40;

/// Returns the real path of the scope file, which need not exist. Its folder,
/// and folders above it, may be missing too.
pub(super) fn real_file(place: &ScopePath) -> Result<PathBuf, StoreError> {
    let failed = |source| StoreError::io("follow the links of", &place.file, source);
    let mut file = place.file.clone();
    let mut hops = 0;
    while let Some(target) = disk::link(&file).or_else(absent_is_none).map_err(failed)? {
        hops += 1;
        if hops > HOPS {
            let path = place.file.clone();
            return Err(StoreError::LinkRing { path });
        }
        file = match file.parent() {
            Some(folder) => folder.join(target),
            None => target,
        };
    }
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
        let no_name = io::Error::other("it does not lead to a file");
        return Err(failed(no_name));
    };
    let real = real_folder(place, folder, hops > 0)?.join(name);
    if let Some(within) = &place.within {
        let within = disk::real(within)
            .map_err(|source| StoreError::io("look at the folder", within, source))?;
        if !real.starts_with(&within) {
            return Err(StoreError::LinkLeaves {
                path: place.file.clone(),
                target: real,
                within,
            });
        }
    }
    Ok(real)
}

/// Returns the real path of a folder. One that is missing may be made later,
/// unless it is the target of a link: then nobody knows what it should be.
fn real_folder(place: &ScopePath, folder: &Path, is_linked: bool) -> Result<PathBuf, StoreError> {
    match disk::real(folder) {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let dangles = disk::link(folder).is_ok_and(|target| target.is_some());
            match (folder.parent(), folder.file_name()) {
                (Some(above), Some(name)) if !is_linked && !dangles => {
                    Ok(real_folder(place, above, false)?.join(name))
                }
                _ => Err(StoreError::LinkDangles {
                    path: place.file.clone(),
                    folder: folder.to_path_buf(),
                }),
            }
        }
        Err(source) => Err(StoreError::io("open the folder", folder, source)),
    }
}

fn absent_is_none(error: io::Error) -> io::Result<Option<PathBuf>> {
    if disk::is_absent(&error) {
        Ok(None)
    } else {
        Err(error)
    }
}
