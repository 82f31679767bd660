/** Writes pictures as PNG files. */
import { crc32, deflateSync } from 'node:zlib';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** RGBA bytes as a PNG file. */
export function png(data: ArrayLike<number>, width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits of red, green, blue and alpha.
  header.set([8, 6], 8);
  const lines = Buffer.alloc(height * (4 * width + 1));
  for (let y = 0; y < height; ++y) {
    for (let i = 0; i < 4 * width; ++i) lines[y * (4 * width + 1) + 1 + i] = data[4 * y * width + i]!;
  }
  const signature = Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
