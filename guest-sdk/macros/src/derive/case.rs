//! The cases of `#[serde(rename_all = "...")]`, by `serde`'s own rules.

#[derive(Clone, Copy)]
pub(super) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl Case {
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "lowercase" => Self::Lower,
            "UPPERCASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "snake_case" => Self::Snake,
            "SCREAMING_SNAKE_CASE" => Self::ScreamingSnake,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::ScreamingKebab,
            _ => return None,
        })
    }

    /// A variant's name, which Rust writes in `PascalCase`.
    pub(super) fn variant(self, name: &str) -> String {
        match self {
            Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => first_lower(name),
            Self::Snake => snake(name),
            Self::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Self::Kebab => snake(name).replace('_', "-"),
            Self::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// A field's name, which Rust writes in `snake_case`.
    pub(super) fn field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => pascal(name),
            Self::Camel => first_lower(&pascal(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (index, each) in name.char_indices() {
        if index > 0 && each.is_uppercase() {
            out.push('_');
        }
        out.push(each.to_ascii_lowercase());
    }
    out
}

fn pascal(name: &str) -> String {
    let mut out = String::new();
    let mut capital = true;
    for each in name.chars() {
        if each == '_' {
            capital = true;
        } else {
            out.push(if capital { each.to_ascii_uppercase() } else { each });
            capital = false;
        }
    }
    out
}

fn first_lower(name: &str) -> String {
    let mut rest = name.chars();
    match rest.next() {
        Some(first) => format!("{}{}", first.to_ascii_lowercase(), rest.as_str()),
        None => String::new(),
    }
}
