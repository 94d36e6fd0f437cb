//! Lists in pages.
//!
//! A cursor names what was given last, so that whatever comes or goes between
//! two pages neither hides another nor gives it twice.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// A list that is given in pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pages<'a> {
    /// Which list, so that no cursor serves for another.
    pub(super) list: &'a str,
    /// Items in a page.
    pub(super) size: usize,
}

impl Pages<'_> {
    /// Returns the page of `items`, in the order of their keys, that is asked
    /// for, and the cursor of the next one.
    pub(super) fn cut<T>(
        self,
        items: Vec<T>,
        key: impl Fn(&T) -> String,
        cursor: Option<String>,
    ) -> Result<(Vec<T>, Option<String>), ErrorData> {
        let after = match cursor {
            None => None,
            Some(cursor) => Some(self.key_in(&cursor).ok_or_else(foreign)?),
        };
        let keyed = items.into_iter().map(|item| (key(&item), item));
        let mut rest: Vec<_> = keyed
            .filter(|(key, _)| after.as_ref().is_none_or(|after| key > after))
            .collect();
        rest.sort_by(|(one, _), (other, _)| one.cmp(other));
        let is_last = rest.len() <= self.size;
        rest.truncate(self.size);
        let last = rest.last().filter(|_| !is_last);
        let next = last.map(|(key, _)| URL_SAFE_NO_PAD.encode(format!("{}\n{key}", self.list)));
        Ok((rest.into_iter().map(|(_, item)| item).collect(), next))
    }

    fn key_in(self, cursor: &str) -> Option<String> {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
        let key = text.strip_prefix(self.list)?.strip_prefix('\n')?;
        Some(key.to_owned())
    }
}

/// Refuses every cursor of a list that has one page.
pub(super) fn one_page(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor.as_ref()) {
        None => Ok(()),
        Some(_) => Err(foreign()),
    }
}

fn foreign() -> ErrorData {
    let words = "the cursor is none of this list: ask without one for its beginning";
    ErrorData::invalid_params(words, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::ErrorCode;

    const PAGES: Pages = Pages {
        list: "letters",
        size: 2,
    };

    fn cut(letters: &str, cursor: Option<String>) -> Result<(String, Option<String>), ErrorData> {
        let (page, next) = PAGES.cut(letters.chars().collect(), char::to_string, cursor)?;
        Ok((page.into_iter().collect(), next))
    }

    #[test]
    fn pages_join_to_the_whole_in_order() {
        let (first, next) = cut("edcba", None).unwrap();
        let (second, next) = cut("edcba", next).unwrap();
        let (third, next) = cut("edcba", next).unwrap();

        assert_eq!([first, second, third], ["ab", "cd", "e"]);
        assert_eq!(next, None);
        assert_eq!(cut("ab", None).unwrap(), ("ab".to_owned(), None));
        assert_eq!(cut("", None).unwrap(), (String::new(), None));
    }

    #[test]
    fn what_comes_or_goes_between_two_pages_hides_nothing() {
        let (_, next) = cut("bcdef", None).unwrap();

        for (letters, page) in [("bdef", "de"), ("cdef", "de"), ("def", "de"), ("abcd", "d")] {
            assert_eq!(cut(letters, next.clone()).unwrap().0, page, "{letters}");
        }
        assert_eq!(cut("abc", next).unwrap(), (String::new(), None));
    }

    #[test]
    fn cursors_of_others_are_refused() {
        let other = Pages {
            list: "numbers",
            size: 1,
        };
        let (_, of_other) = other.cut(vec![1, 2], u8::to_string, None).unwrap();

        for cursor in ["", "x", "2", "letters", "bGV0dGVycw", &of_other.unwrap()] {
            let error = cut("abc", Some(cursor.to_owned())).unwrap_err();
            assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{cursor}");
        }
        let request = |cursor: Option<&str>| {
            PaginatedRequestParams::default().with_cursor(cursor.map(str::to_owned))
        };
        assert!(one_page(None).is_ok() && one_page(Some(&request(None))).is_ok());
        let error = one_page(Some(&request(Some("x")))).unwrap_err();
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    }
}
