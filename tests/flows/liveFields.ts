import { exiftool } from '#support/media/exiftool'

/** What makes a movie the video of a Live Photo, as exiftool reads it, field by field. */
export type LiveFields = Readonly<Record<string, string>>

const UUID = /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/

/** @param path of a movie with a track that marks the moment of the still */
export async function readLiveFields(path: string): Promise<LiveFields> {
  const printed = await exiftool('-ee', '-a', '-j', '-n', '-G1', path)
  const [tags] = JSON.parse(printed.toString()) as [Readonly<Record<string, string | number>>]
  const mark = Object.keys(tags)
    .find((key) => key.endsWith(':StillImageTime'))
    ?.split(':')[0]
  const tag = (name: string) => String(tags[name] ?? 'none')
  const start = Number(tags[`${mark}:TrackDuration`]) - Number(tags[`${mark}:MediaDuration`])
  const identifier = tag('Keys:ContentIdentifier')
  return {
    'file type': `${tag('File:FileType')}, ${tag('QuickTime:MajorBrand')}`,
    'identifier (`com.apple.quicktime.content.identifier`)': UUID.test(identifier)
      ? 'UUID in capitals'
      : identifier,
    'metadata handler': tag('QuickTime:HandlerType'),
    'mark: handler': tag(`${mark}:HandlerType`),
    'mark: sample entry': tag(`${mark}:MetaFormat`),
    'mark: value': tag(`${mark}:StillImageTime`),
    'mark: describes track': tag(`${mark}:ContentDescribes`),
    'mark: graphics mode, colour, balance': ['GenGraphicsMode', 'GenOpColor', 'GenBalance']
      .map((name) => tag(`${mark}:${name}`))
      .join('; '),
    'mark: language': tag(`${mark}:MediaLanguageCode`),
    'mark: volume, layer': `${tag(`${mark}:TrackVolume`)}, ${tag(`${mark}:TrackLayer`)}`,
    'mark: data handler': `${tag(`${mark}:HandlerVendorID`)} ${tag(`${mark}:HandlerDescription`)}`,
    "mark: its ticks are the movie's": String(tags[`${mark}:MediaTimeScale`] === tags['QuickTime:TimeScale']),
    'mark: one sample, after an empty edit': String(tags[`${mark}:SampleTime`] === 0 && start > 0),
    'mark: lasts': `${Number(tags[`${mark}:MediaDuration`]).toFixed(4)} s`,
    'transform of the still':
      mark && tags[`${mark}:LivePhotoStillImageTransform`] === undefined ? 'none' : 'given',
    sound: tag('Track2:AudioFormat'),
  }
}

/** Fields in which the two may differ, and why. */
export const LIVE_DIFFERENCES: LiveFields = {
  'transform of the still': 'an iPhone crops and stabilises the video; ours shows what the photo shows',
  sound: 'the phone writes PCM, ours is AAC as in the other profiles',
}

/** Rows of the table in docs/real-files.md. */
export function liveRows(real: LiveFields, ours: LiveFields): string[] {
  return Object.keys(real).map((name) => {
    const why =
      real[name] === ours[name] ? 'same' : `${ours[name]} (${LIVE_DIFFERENCES[name] ?? 'unexplained'})`
    return `| ${name} | ${real[name]} | ${why} |`
  })
}
