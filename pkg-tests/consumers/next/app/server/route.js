// The same on the server: ?options=JSON.
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import * as cipherloom from 'cipherloom';
import { work } from '../../work.mjs';

export const dynamic = 'force-dynamic';

const read = async (name) => new Uint8Array(await readFile(new URL(name, process.env.GIVEN)));

export async function GET(request) {
  const options = JSON.parse(new URL(request.url).searchParams.get('options'));
  return Response.json(await work(cipherloom, read, options));
}
