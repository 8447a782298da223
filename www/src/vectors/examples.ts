/** Files to try it with, made here: the same each time. */

/** In all texts. */
const COMMON = (
  'the of and to a in that it was he for on with his as at by from they she or had not but what all were when we there can an your which said if do ' +
  'will each about how up out them then many some so these would other into has more her two like him see time could no make than first been its who now ' +
  'people my made over did down only way find use may water long little very after words called just where most know'
).split(' ');
/** In some. */
const RARE = (
  'harbour lantern orchard ferry winter summer bridge clock letter garden market weaver thread loom pattern river mountain captain teacher doctor baker ' +
  'violin window kitchen bicycle station evening morning thunder copper silver ribbon blanket whistle compass chimney meadow pebble sailor feather candle ' +
  'marble basket barley cellar timber anchor harvest lighthouse quarry willow sparrow kettle mitten saddle acorn almanac brook cobbler dovecote ember ' +
  'fiddle gable hearth inkwell juniper'
).split(' ');

const STORIES =
  'anchor brook candle dovecote ember ferry gable harbour inkwell juniper kettle lantern meadow orchard pebble quarry ribbon sparrow timber violin weaver willow winter whistle'.split(
    ' ',
  );
const SHOPS = ['north', 'south', 'east', 'west', 'harbour', 'station', 'old town', 'university'];
const PRODUCTS = ['apples', 'bread', 'cheese', 'coffee', 'lamp oil', 'salt, coarse', 'thread', 'yarn'];
/** Rows of each table. */
const ROWS = 2000;

/** Texts of several lengths, and tables of sales. */
export function exampleFiles(): File[] {
  return [...STORIES.map(story), ...SHOPS.map(shop)];
}

function story(name: string, index: number): File {
  const random = randomOf(index + 1);
  const rare = RARE.filter(() => random() < 0.3);
  const lines: string[] = [];
  const length = 800 + Math.floor(random() * 2400);
  for (let line = 0; line < length; line++) {
    const words = Array.from({ length: 6 + Math.floor(random() * 9) }, () => {
      // Few words often, many words seldom, as in texts that people write.
      return random() < 0.06
        ? rare[Math.floor(random() * rare.length)]!
        : COMMON[Math.floor(COMMON.length ** random() - 1)]!;
    });
    const [first, ...rest] = words;
    lines.push(`${first![0]!.toUpperCase()}${first!.slice(1)} ${rest.join(' ')}.`);
  }
  return new File([`${lines.join('\n')}\n`], `stories/${name}.txt`, { type: 'text/plain' });
}

function shop(name: string, index: number): File {
  const random = randomOf(index + 101);
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const product = Math.floor(random() * PRODUCTS.length);
    const pieces = 1 + Math.floor(random() * 12);
    const cents = pieces * (85 + product * 140) + Math.floor(random() * 90);
    return `${row + 1},"${PRODUCTS[product]}",${pieces},${(cents / 100).toFixed(2)}`;
  });
  const text = `sale,product,pieces,price\n${rows.join('\n')}\n`;
  return new File([text], `shops/${name}.csv`, { type: 'text/csv' });
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
