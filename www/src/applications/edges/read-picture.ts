/** A visitor's picture: shrunk, square, in shades of gray. It stays in this tab. */
import { MOST, type Picture, SIDE } from './edges.js';

/** Errors: one that says that the file is no picture. */
export async function readPicture(file: Blob): Promise<Picture> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    throw new Error('This file is no picture that the browser can read: try a PNG or a JPEG.');
  }
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = SIDE;
  const context = canvas.getContext('2d')!;
  const { width, height } = bitmap;
  const size = Math.min(width, height);
  context.fillStyle = 'white'; // behind what is transparent
  context.fillRect(0, 0, SIDE, SIDE);
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, (width - size) / 2, (height - size) / 2, size, size, 0, 0, SIDE, SIDE);
  bitmap.close();
  return grayOf(context.getImageData(0, 0, SIDE, SIDE).data);
}

/** Shades of gray, as eyes weigh colors, of red, green, blue and opacity one after the other. */
export function grayOf(colors: ArrayLike<number>): Picture {
  return Array.from({ length: SIDE }, (_, y) =>
    Array.from({ length: SIDE }, (_, x) => {
      const at = 4 * (y * SIDE + x);
      const gray = 0.299 * colors[at]! + 0.587 * colors[at + 1]! + 0.114 * colors[at + 2]!;
      return Math.min(Math.round(gray), MOST);
    }),
  );
}
