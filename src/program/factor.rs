//! `factor`: the prime factors of whole numbers, up to 128 bits.

use super::usage;
use crate::args::{COREUTILS, Spec, quote};
use crate::kernel::{Halt, Input, Kernel, Proc, Program, Stop};
use crate::program::message::message;

/// The program.
pub const PROGRAM: Program = Program {
    name: "factor",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {}

static SPEC: Spec<Flag> = Spec::new(
    "factor",
    COREUTILS,
    &["[NUMBER]...", "OPTION"],
    "Print the prime factors of each specified integer NUMBER.  If none\n\
     are specified on the command line, read them from standard input.",
    &[],
);

/// Factors are looked for by division up to here.
const DIVIDED: u128 = 1 << 12;
/// A number that passes with all of these as bases is prime, when it has 64 bits; with more bits a mistake is not known.
const WITNESSES: &[u128] = &[2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47];

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let mut status = 0;
    if !parsed.operands.is_empty() {
        for word in &parsed.operands {
            status |= factor(proc, word).await?;
        }
        return Ok(status);
    }
    let mut input = match proc.stdin() {
        Ok(file) => Input::new(file),
        Err(errno) => {
            return Err(usage::fail(proc, 1, message!("error reading input: ", errno.message())).await);
        }
    };
    let mut lease = proc.kernel.lease();
    loop {
        proc.kernel.breathe().await;
        let line = match input.line(b'\n').await {
            Ok(Some(line)) => line.to_vec(),
            Ok(None) => return Ok(status),
            Err(errno) => {
                return Err(usage::fail(proc, 1, message!("error reading input: ", errno.message())).await);
            }
        };
        lease.resize(line.len())?;
        let words = line.split(|byte| matches!(byte, b'\n' | b'\t' | b' '));
        for word in words.filter(|word| !word.is_empty()) {
            status |= factor(proc, word).await?;
        }
    }
}

/// Prints the factors of a word. The status.
async fn factor(proc: &mut Proc, word: &[u8]) -> Result<i32, Stop> {
    let digits = word.trim_ascii_start();
    let digits = digits.strip_prefix(b"+").unwrap_or(digits);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        proc.warn(message!(quote(word), " is not a valid positive integer"))
            .await?;
        return Ok(1);
    }
    let Some(value) = std::str::from_utf8(digits)
        .ok()
        .and_then(|text| text.parse::<u128>().ok())
    else {
        proc.warn(message!(quote(word), " is too large")).await?;
        return Ok(1);
    };
    let mut factors = Vec::new();
    collect(&proc.kernel, value, &mut factors).await?;
    factors.sort_unstable();
    let mut line = format!("{value}:");
    for factor in factors {
        line += &format!(" {factor}");
    }
    line.push('\n');
    proc.write(line.as_bytes()).await?;
    Ok(0)
}

async fn collect(kernel: &Kernel, value: u128, factors: &mut Vec<u128>) -> Result<(), Halt> {
    let mut value = value;
    let mut divisor = 2;
    while value > 1 && divisor < DIVIDED && divisor * divisor <= value {
        kernel.meter().charge(1)?;
        if value.is_multiple_of(divisor) {
            factors.push(divisor);
            value /= divisor;
        } else {
            divisor += 1 + divisor % 2;
        }
    }
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        kernel.breathe().await;
        if value <= 1 {
            continue;
        }
        if value < DIVIDED * DIVIDED || is_prime(kernel, value)? {
            factors.push(value);
            continue;
        }
        let part = divisor_of(kernel, value).await?;
        pending.extend([part, value / part]);
    }
    Ok(())
}

/// What a product costs.
fn product_cost(modulus: u128) -> u64 {
    if modulus >> 64 == 0 { 4 } else { 60 }
}

fn multiply(left: u128, right: u128, modulus: u128) -> u128 {
    if modulus >> 64 == 0 {
        return left * right % modulus;
    }
    // By doubling: the product of two such numbers does not fit.
    let (mut sum, mut left, mut right) = (0u128, left % modulus, right);
    while right > 0 {
        if right & 1 == 1 {
            sum = add(sum, left, modulus);
        }
        left = add(left, left, modulus);
        right >>= 1;
    }
    sum
}

fn add(left: u128, right: u128, modulus: u128) -> u128 {
    match left.checked_add(right) {
        Some(sum) => sum % modulus,
        // Both are smaller than the modulus.
        None => left - (modulus - right),
    }
}

fn power(base: u128, exponent: u128, modulus: u128) -> u128 {
    let (mut result, mut base, mut exponent) = (1, base % modulus, exponent);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, base, modulus);
        }
        base = multiply(base, base, modulus);
        exponent >>= 1;
    }
    result
}

/// The test of Miller and Rabin.
fn is_prime(kernel: &Kernel, value: u128) -> Result<bool, Halt> {
    let twos = (value - 1).trailing_zeros();
    let odd = (value - 1) >> twos;
    for witness in WITNESSES {
        kernel.meter().charge(product_cost(value) * 200)?;
        let mut x = power(*witness, odd, value);
        if x == 1 || x == value - 1 {
            continue;
        }
        let mut composite = true;
        for _ in 1..twos {
            x = multiply(x, x, value);
            if x == value - 1 {
                composite = false;
                break;
            }
        }
        if composite {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A divisor of a number that is not prime, by Pollard's method.
async fn divisor_of(kernel: &Kernel, value: u128) -> Result<u128, Halt> {
    for start in 1u128.. {
        let step = |x: u128| add(multiply(x, x, value), start, value);
        let (mut slow, mut fast) = (2, 2);
        loop {
            let mut product = 1;
            let (before_slow, before_fast) = (slow, fast);
            for _ in 0..64 {
                slow = step(slow);
                fast = step(step(fast));
                product = multiply(product, slow.abs_diff(fast), value);
            }
            kernel.breathe().await;
            kernel.meter().charge(product_cost(value) * 256)?;
            let divisor = greatest_common_divisor(product, value);
            if divisor == 1 {
                continue;
            }
            if divisor != value {
                return Ok(divisor);
            }
            // Too far: again in single steps.
            (slow, fast) = (before_slow, before_fast);
            loop {
                slow = step(slow);
                fast = step(step(fast));
                let divisor = greatest_common_divisor(slow.abs_diff(fast), value);
                if divisor == value {
                    break;
                }
                if divisor > 1 {
                    return Ok(divisor);
                }
            }
            break;
        }
    }
    Ok(value)
}

fn greatest_common_divisor(left: u128, right: u128) -> u128 {
    let (mut left, mut right) = (left, right);
    while right > 0 {
        (left, right) = (right, left % right);
    }
    left
}
