import { signal } from '@preact/signals'
import { largestRegion } from './crop'
import type { PhotoOptions } from './options'
import { type Edited, sizeOfSource } from './records'

/** For what photos are made, which decides what is chosen first. */
export const PRESETS = ['photo', 'wallpaper', 'chat'] as const
export type Preset = (typeof PRESETS)[number]

export const preset = signal<Preset>('photo')

/** What is chosen of a video that is opened now. */
export function presetOf(video: Edited): Partial<PhotoOptions> {
  if (preset.value === 'photo') return {}
  if (preset.value === 'chat') return { keepsSound: false }
  return { keepsSound: false, shape: '9:16', crop: largestRegion('9:16', sizeOfSource(video)) }
}
