//! The smallest image and sound that a client can decode.

/// A PNG of one red pixel.
pub(crate) const RED_PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\
    \0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90\x77\x53\xde\
    \0\0\0\x0cIDAT\x78\x9c\x63\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\
    \0\0\0\0IEND\xae\x42\x60\x82";

/// A WAV of one millisecond of silence: one channel, 8,000 samples a second, 8 bits each. Eight-bit samples are
/// unsigned, so that silence is their middle.
pub(crate) const SILENCE: &[u8] = b"RIFF\x2c\0\0\0WAVE\
    fmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0\
    data\x08\0\0\0\x80\x80\x80\x80\x80\x80\x80\x80";
