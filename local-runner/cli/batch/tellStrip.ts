import { basename } from 'node:path'
import { printable } from '../../commandLine/readArguments'
import type { PhotoCommand } from '../options/photoCommand'
import { tellObject, tellPath } from '../tell'
import { passedOverText } from './batchReport'
import type { PassedOver } from './findFiles'

export type Strip = Extract<PhotoCommand, { readonly kind: 'strip' }>

/** What became of a file; spelled as the output of `--json`. */
export type StripOutcome = {
  readonly result: 'stripped' | 'there' | 'no-motion-photo' | 'refused'
  readonly output?: string
  readonly bytes?: number
  readonly bytes_saved?: number
  readonly error?: string
}

/** Tells what became of a file: on standard output what was written, on standard error a line for people. */
export function tellStripped(file: string, outcome: StripOutcome, { json }: Strip): void {
  const { result, output = '', bytes = 0, bytes_saved: saved, error } = outcome
  if (json) tellObject({ file, ...outcome })
  else if (result === 'stripped') tellPath(output)
  const texts = {
    stripped: `${printable(basename(output))}, ${saved === undefined ? sizeText(bytes) : `${sizeText(saved)} saved`}`,
    there: 'what it gives is there already',
    'no-motion-photo': 'no motion photo',
  }
  const line =
    result === 'refused' ? `motion-photo: ${error}` : `${printable(basename(file))}: ${texts[result]}`
  process.stderr.write(`${line}\n`)
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** The last line: how many files became what. */
export function sumText(
  counts: Readonly<Record<StripOutcome['result'], number>>,
  bytesSaved: number,
  { what }: Strip,
  passedOver: PassedOver,
): string {
  const saved = what === 'still' ? `, ${sizeText(bytesSaved)} saved` : ''
  const sums = [
    `${counts.stripped} stripped${saved}`,
    `${counts.there} there already, ${counts['no-motion-photo']} no motion photos, ${counts.refused} refused`,
    passedOverText(passedOver),
  ]
  return `${sums.filter((text) => text !== undefined).join('; ')}\n`
}
