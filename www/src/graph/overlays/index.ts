/** All overlays, in the order in which they are offered. */
import { label } from './label.js';
import { noise } from './noise.js';
import type { OverlayKind } from './overlay.js';
import { party } from './party.js';
import { platform } from './platform.js';
import { size } from './size.js';
import { thread } from './thread.js';
import { time } from './time.js';
import { wave } from './wave.js';

export const OVERLAYS: readonly OverlayKind[] = [time, noise, size, platform, thread, party, label, wave];
