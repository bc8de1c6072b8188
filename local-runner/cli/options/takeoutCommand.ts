import { resolve } from 'node:path'
import {
  MOTION_PHOTO_PROFILES,
  type MotionPhotoProfile,
  motionPhotoProfileNamed,
} from '@lantern-room/formats/make'
import type { AlbumChoice, Editions } from '@lantern-room/takeout/work'
import { optionValue, readArguments, UsageError } from '../../commandLine/readArguments'
import manual from './manual.json'

export type TakeoutCommand = {
  /** Absolute, as are the other paths. */
  readonly inputs: readonly string[]
  readonly out: string
  /** Undefined: pairs stay pairs. */
  readonly profile: MotionPhotoProfile | undefined
  readonly albums: AlbumChoice
  readonly editions: Editions
  readonly isDry: boolean
  readonly report: string | undefined
}

const PAIRS = 'pairs'
const ALBUMS: readonly AlbumChoice[] = ['folders', 'links', 'keywords']
const EDITIONS: readonly Editions[] = ['both', 'originals', 'edited']

/**
 * @param args what was typed after `takeout`
 * @param folder that relative paths start from
 * @throws UsageError
 */
export function parseTakeoutCommand(
  args: readonly string[],
  folder: string,
): { readonly kind: 'help' } | { readonly kind: 'takeout'; readonly command: TakeoutCommand } {
  const { given, words } = readArguments(args, manual.takeout.options, { command: 'takeout' })
  if (given.has('help')) return { kind: 'help' }
  const out = given.get('out')
  if (words.length === 0 || words.includes(''))
    throw new UsageError('Name the export: its folder, or its ZIPs.', 'takeout')
  if (out === undefined) throw new UsageError('Name the folder for the photos (--out FOLDER).', 'takeout')
  const inputs = [...new Set(words.map((word) => resolve(folder, word)))]
  if (inputs.includes(resolve(folder, out)))
    throw new UsageError('--out must be another folder than that of the export.', 'takeout')
  const profileOf = (text: string) => (text === PAIRS ? PAIRS : motionPhotoProfileNamed(text))
  const profiles = `${PAIRS} or one of ${MOTION_PHOTO_PROFILES.join(', ')}`
  const to = optionValue(given, 'to', profileOf, profiles, 'takeout') ?? 'universal'
  const report = given.get('report')
  const command: TakeoutCommand = {
    inputs,
    out: resolve(folder, out),
    profile: to === PAIRS ? undefined : to,
    albums:
      optionValue(
        given,
        'albums',
        (text) => ALBUMS.find((one) => one === text),
        ALBUMS.join(', '),
        'takeout',
      ) ?? 'folders',
    editions:
      optionValue(
        given,
        'edited',
        (text) => EDITIONS.find((one) => one === text),
        EDITIONS.join(', '),
        'takeout',
      ) ?? 'both',
    isDry: given.has('dry-run'),
    report: report === undefined ? undefined : resolve(folder, report),
  }
  return { kind: 'takeout', command }
}
