//! The blocks of an outcome in a provider's form. What a provider has no form for is said in words.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::spec::{Content, Media, Outcome, ResourceBody};

/// Pictures that every provider takes.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// A part of a result.
#[derive(Debug)]
pub(super) enum Part {
    Text(String),
    Picture { mime_type: String, data: String },
}

/// What a model is to read of an outcome, pictures kept where `pictures` says so. Never an empty text.
pub(super) fn parts(outcome: &Outcome, pictures: bool) -> Vec<Part> {
    let success = match &outcome.result {
        Ok(success) => success,
        Err(failure) => return vec![Part::Text(failure.text())],
    };
    let mut parts: Vec<Part> = success.content.iter().map(|block| part(block, pictures)).collect();
    parts.retain(|part| !matches!(part, Part::Text(text) if text.is_empty()));
    if parts.is_empty()
        && let Some(structured) = &success.structured
    {
        parts.push(Part::Text(structured.get().to_owned()));
    }
    parts
}

/// The same as one text.
pub(super) fn text(parts: &[Part]) -> String {
    let texts = parts.iter().map(|part| match part {
        Part::Text(text) => text.as_str(),
        Part::Picture { .. } => "",
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn part(block: &Content, pictures: bool) -> Part {
    match block {
        Content::Text(text) => Part::Text(text.clone()),
        Content::Image(media) if pictures && PICTURES.contains(&media.mime_type.as_str()) => {
            Part::Picture { mime_type: media.mime_type.clone(), data: STANDARD.encode(&media.data) }
        }
        Content::Image(media) => left_out("an image", media),
        Content::Audio(media) => left_out("a sound", media),
        Content::Resource(resource) => match &resource.body {
            ResourceBody::Text(text) => Part::Text(format!("{}:\n{text}", resource.uri)),
            ResourceBody::Blob(bytes) => {
                let kind = resource.mime_type.as_deref().unwrap_or("unknown type");
                Part::Text(format!(
                    "[{}: {} bytes of {kind}, which cannot be shown here]",
                    resource.uri,
                    bytes.len()
                ))
            }
        },
        Content::Link(link) => {
            let told = link.description.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
            Part::Text(format!("[{} at {}{told}]", link.title.as_deref().unwrap_or(&link.name), link.uri))
        }
    }
}

fn left_out(what: &str, media: &Media) -> Part {
    Part::Text(format!(
        "[{what} of {} bytes, {}, which cannot be shown here]",
        media.data.len(),
        media.mime_type
    ))
}

/// The structured value of an outcome, with every digit.
pub(super) fn structured(outcome: &Outcome) -> Option<Value> {
    let structured = outcome.result.as_ref().ok()?.structured.as_ref()?;
    // The executor bounds its depth far below what the parser takes.
    serde_json::from_str(structured.get()).ok()
}

impl Part {
    /// As OpenAI's Responses take it.
    pub(super) fn openai(&self) -> Value {
        match self {
            Self::Text(text) => json!({"type": "input_text", "text": text}),
            Self::Picture { mime_type, data } => {
                json!({"type": "input_image", "image_url": format!("data:{mime_type};base64,{data}")})
            }
        }
    }

    /// As Anthropic takes it.
    pub(super) fn anthropic(&self) -> Value {
        match self {
            Self::Text(text) => json!({"type": "text", "text": text}),
            Self::Picture { mime_type, data } => {
                let source = json!({"type": "base64", "media_type": mime_type, "data": data});
                json!({"type": "image", "source": source})
            }
        }
    }
}
