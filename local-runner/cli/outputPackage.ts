import { extname, parse } from 'node:path'
import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import type { WallClock } from '@lantern-room/formats'
import { isBundleName, zipPieces } from '@lantern-room/formats/files'
import type { OutputFile } from '@lantern-room/media/make'
import type { OutputProfile } from '@lantern-room/media/options'

/** The output: a file, or a folder of files. */
export type OutputPackage =
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'folder'; readonly files: readonly OutputFile[] }

const BUNDLE_METADATA = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
\t<key>PFVideoComplementMetadataVersionKey</key>
\t<string>1</string>
</dict>
</plist>
`

/** Packs the files of a photo as the output's name and the profile ask for. */
export function packOutput(
  output: string,
  profile: OutputProfile,
  { files, namedAt }: { readonly files: readonly OutputFile[]; readonly namedAt: WallClock },
): OutputPackage {
  const [file, second] = files
  if (file && !second) return { kind: 'file', bytes: file.bytes }
  // A bundle is a folder that Photos and AirDrop take as one Live Photo.
  if (profile === 'apple' && isBundleName(output))
    return { kind: 'folder', files: bundleFiles(output, files) }
  return { kind: 'file', bytes: concatBytes(zipPieces(files, namedAt)) }
}

/** The files of a bundle: a Live Photo's, named as the bundle, and a property list. */
export function bundleFiles(output: string, files: readonly OutputFile[]): OutputFile[] {
  const { name } = parse(output)
  const renamed = files.map((each) => ({ name: name + extname(each.name), bytes: each.bytes }))
  return [...renamed, { name: 'metadata.plist', bytes: asciiBytes(BUNDLE_METADATA) }]
}

export function sizeOfPackage(made: OutputPackage): number {
  if (made.kind === 'file') return made.bytes.length
  return made.files.reduce((sum, { bytes }) => sum + bytes.length, 0)
}
