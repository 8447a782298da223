// Plain moduli for batching.

/** Different primes = 1 modulo 2n, the largest of these sizes. */
export function plainPrimes(n, plainBits) {
  const found = [];
  for (const bits of plainBits) found.push(nextPrime(n, bits, found));
  return found;
}

function nextPrime(n, bits, taken) {
  const step = 2n * BigInt(n);
  for (let p = ((1n << BigInt(bits)) / step) * step + 1n; ; p -= step) {
    if (p < 1n << BigInt(bits) && !taken.includes(p) && isPrime(p)) return p;
  }
}

/** Miller-Rabin with the bases that decide all numbers below 2^64. */
function isPrime(p) {
  const power = (base, exponent) => {
    let result = 1n;
    for (let b = base % p, e = exponent; e > 0n; e >>= 1n, b = (b * b) % p) if (e & 1n) result = (result * b) % p;
    return result;
  };
  let odd = p - 1n;
  let twos = 0;
  for (; !(odd & 1n); odd >>= 1n) twos++;
  return [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n].every((base) => {
    let value = power(base, odd);
    if (value === 1n || value === p - 1n) return true;
    for (let i = 1; i < twos; i++) if ((value = (value * value) % p) === p - 1n) return true;
    return false;
  });
}
