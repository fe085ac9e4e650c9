//! Which addresses are on the public internet.
//!
//! Sources: the IANA special-purpose address registries for IPv4 and IPv6 (RFC 6890 and its successors). Of IPv6, what
//! is not global unicast (2000::/3) is refused altogether, so that a form that is not listed here is refused too.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

const fn v4(a: u8, b: u8, c: u8, d: u8, bits: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), bits)
}

const fn v6(a: u16, b: u16, c: u16, bits: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), bits)
}

const V4: [(Ipv4Net, &str); 16] = [
    (v4(0, 0, 0, 0, 8), "this machine"),
    (v4(10, 0, 0, 0, 8), "a private network"),
    (v4(100, 64, 0, 0, 10), "a carrier's network"),
    (v4(127, 0, 0, 0, 8), "this machine"),
    (v4(169, 254, 0, 0, 16), "the local link, where metadata is served"),
    (v4(172, 16, 0, 0, 12), "a private network"),
    (v4(192, 0, 0, 0, 24), "reserved for protocols"),
    (v4(192, 0, 2, 0, 24), "reserved for documentation"),
    (v4(192, 31, 196, 0, 24), "reserved for name servers"),
    (v4(192, 52, 193, 0, 24), "reserved for multicast relays"),
    (v4(192, 88, 99, 0, 24), "translated"),
    (v4(192, 168, 0, 0, 16), "a private network"),
    (v4(198, 18, 0, 0, 15), "reserved for measurements"),
    (v4(198, 51, 100, 0, 24), "reserved for documentation"),
    (v4(203, 0, 113, 0, 24), "reserved for documentation"),
    // Multicast, reserved and broadcast.
    (v4(224, 0, 0, 0, 3), "not one machine's"),
];

/// Those that would not be told by "not global unicast" alone, or deserve their own word. The first that fits counts.
const V6: [(Ipv6Net, &str); 12] = [
    (v6(0x64, 0xFF9B, 0, 96), "translated"),
    (v6(0x64, 0xFF9B, 1, 48), "translated"),
    (v6(0, 0, 0, 8), "this machine, or an IPv4 address in another form"),
    (v6(0x100, 0, 0, 64), "a sink"),
    // Teredo, benchmarking, ORCHID and other protocols.
    (v6(0x2001, 0, 0, 23), "translated, or reserved for protocols"),
    (v6(0x2001, 0xDB8, 0, 32), "reserved for documentation"),
    (v6(0x2002, 0, 0, 16), "translated"),
    (v6(0x2620, 0x4F, 0x8000, 48), "reserved for name servers"),
    (v6(0x3FFF, 0, 0, 20), "reserved for documentation"),
    (v6(0xFC00, 0, 0, 7), "a private network"),
    (v6(0xFE80, 0, 0, 9), "the local link or site"),
    (v6(0xFF00, 0, 0, 8), "not one machine's"),
];

const GLOBAL_UNICAST: Ipv6Net = v6(0x2000, 0, 0, 3);

/// Why an address is not one of the public internet, if it is not: what lies behind it, in a few words.
#[must_use]
pub fn unreachable(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => V4.iter().find(|(net, _)| net.contains(&address)).map(|(_, what)| *what),
        IpAddr::V6(address) => V6
            .iter()
            .find(|(net, _)| net.contains(&address))
            .map(|(_, what)| *what)
            .or_else(|| (!GLOBAL_UNICAST.contains(&address)).then_some("not assigned to anybody")),
    }
}
