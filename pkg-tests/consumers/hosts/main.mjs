// The right numbers and bytes, as JSON, with the options given as JSON.
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import * as cipherloom from 'cipherloom';
import { work } from './work.mjs';

const read = async (name) => new Uint8Array(await readFile(new URL(`./given/${name}`, import.meta.url)));
console.log(JSON.stringify(await work(cipherloom, read, JSON.parse(process.argv[2]))));
