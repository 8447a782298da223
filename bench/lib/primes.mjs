// Plain moduli for batching, and numbers by their residues.

/** Different primes = 1 modulo 2n, the largest of these sizes. */
export function plainPrimes(n, plainBits) {
  const found = [];
  for (const bits of plainBits) found.push(nextPrime(n, bits, found));
  return found;
}

/** What has these residues, below the product of the primes; `signed`: next to 0. */
export function combine(residues, primes, signed = false) {
  const product = primes.reduce((a, b) => a * b, 1n);
  let sum = 0n;
  for (const [index, t] of primes.entries()) {
    const other = product / t;
    sum += residues[index] * other * inverse(other, t);
  }
  sum %= product;
  return signed && 2n * sum > product ? sum - product : sum;
}

function inverse(a, t) {
  let [r0, r1, s0, s1] = [t, a % t, 0n, 1n];
  while (r1) [r0, r1, s0, s1] = [r1, r0 % r1, s1, s0 - (r0 / r1) * s1];
  return ((s0 % t) + t) % t;
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
