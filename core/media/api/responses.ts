import { createRoute, z } from '@hono/zod-openapi'
import { zipPieces } from '@lantern-room/formats/files'
import { METADATA_LOSSES } from '@lantern-room/formats/make'
import { SOURCE_PROBLEMS } from '@lantern-room/mp4/clip'
import { DATE_SOURCES, ZONE_SOURCES } from '../capture/chooseOrigin'
import { GAIN_MAP_PROBLEMS } from '../photo/cover/takeGainMap'
import type { ConvertedPhoto } from '../photo/make/convertSession'

/** Parts shared by the contracts of several routes: security, error answers, bodies of bytes. */

const errorBody = z
  .object({
    detail: z.string().openapi({ description: 'What went wrong and what to do, for a person.' }),
    code: z.string().openapi({ description: 'The same for a program.', example: 'not-found' }),
  })
  .openapi('Error')

const failure = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorBody } },
})

/** @see RFC 9110, section 10.2.3 */
const RETRY_AFTER = z.object({
  'Retry-After': z.int().openapi({
    description:
      'Seconds to wait before another try; of a 429, the expected wait, or the time until the quota begins anew.',
    example: 12,
  }),
})

const FAILURES = {
  400: failure('The request or the file is wrong; `detail` names the field.'),
  401: failure('The bearer token is missing or wrong.'),
  404: failure('There is no such session, upload or picture, or it has expired.'),
  409: failure('The upload is in use, or its file is not there yet, or is there already.'),
  413: failure('The upload, a picture in it, or the request body is too large.'),
  415: failure('Sound only, a codec that cannot be read, or a body of the wrong content type.'),
  416: failure('The range lies outside the preview.'),
  422: failure('A field is missing, of the wrong type, or outside its range.'),
  429: {
    ...failure('Too many jobs wait, or the quota of the client for today is used up (`quota-exceeded`).'),
    headers: RETRY_AFTER,
  },
  500: failure('A mistake of the service.'),
  503: { ...failure('The service cannot work now, or has no space left.'), headers: RETRY_AFTER },
  504: failure('It took too long.'),
} as const

/** The error answers of a route, by their status. */
export function failures<S extends keyof typeof FAILURES>(
  ...statuses: readonly S[]
): Pick<typeof FAILURES, S> {
  return Object.fromEntries(statuses.map((status) => [status, FAILURES[status]])) as Pick<typeof FAILURES, S>
}

/** The content of a body that is bytes of one of these media types. */
export const binary = (...mediaTypes: readonly string[]) =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema: z.string().openapi({ format: 'binary' }) }]))

/** The answer of hosts whose responses have a limit: functions behind a gateway, with a bucket. */
export const ELSEWHERE = {
  description:
    'The answer is too large for the gateway of this host: GET it at `Location`, which is signed and valid for an hour at least.',
  headers: z.object({ Location: z.string() }),
}

/** A contract of a request with a bearer token, or without where none is configured. */
export const secured: typeof createRoute = (contract) =>
  createRoute({ ...contract, security: [{ bearer: [] }, {}] })

/** A file that is neither cached nor taken for another type. @param size bytes of the body */
export function fileResponse(
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  mediaType: string,
  size: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, {
    headers: {
      'Content-Type': mediaType,
      'Content-Length': String(size),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
  })
}

export function pictureResponse(
  bytes: Uint8Array,
  headers?: Readonly<Record<string, string>>,
  mediaType = 'image/jpeg',
): Response {
  return fileResponse(new Uint8Array(bytes), mediaType, bytes.length, headers)
}

export const PHOTO = {
  description: 'The motion photo; a ZIP for the profiles `apple` and `all`.',
  content: binary('image/jpeg', 'application/zip'),
  headers: z.object({
    'Content-Disposition': z.string().openapi({
      description:
        "A name by which galleries know the file: the video's, with the moment of the cover unless it is the middle of a range that begins with the video; IMG and the time where the video was sent without a name.",
      example: 'attachment; filename="IMG_1234_MP.jpg"',
    }),
    'X-Taken-At-From': z.enum(DATE_SOURCES).optional().openapi({
      description:
        'What says the time of the photo: the request, the photo in which the video was, the video, its name, or that nothing did. Absent without a time.',
    }),
    'X-Time-Zone-From': z.enum(ZONE_SOURCES).optional().openapi({
      description:
        'What says the offset of that time: the same sources; `compared`, two sources of which one shows local time and one UTC; or `utc`, none, and the time is shown in UTC. Absent where the local time alone is known.',
    }),
    'X-Clip-Quality': z
      .enum(['preview', 'source'])
      .openapi({ description: "Whether the clip's pictures are the preview's or the original's own." }),
    'X-Clip-Quality-Reason': z
      .enum(SOURCE_PROBLEMS)
      .optional()
      .openapi({ description: "Why they are the preview's although `source` was asked for." }),
    'X-Clip-Source-Rate': z.number().optional().openapi({
      description:
        'Of a slow clip with fewer pictures than the recording has (`30 × speed` a second): how many a second `quality=source` would give.',
      example: 30,
    }),
    'X-Clip-Turned': z.int().optional().openapi({
      description:
        "That the clip is turned, by these degrees clockwise (90, 180 or 270), before `crop` and `rotate`: the photo's own picture was turned after it was taken, and its video was not.",
    }),
    'X-Metadata-Lost': z
      .string()
      .optional()
      .openapi({
        description: `What the photo said of itself and could not be kept, with \`metadata=all\`, and \`gain-map\` with any, with a comma between each: ${METADATA_LOSSES.join(', ')}. Absent when all of it is kept.`,
        example: 'thumbnail, trailer',
      }),
    'X-Ultra-HDR': z
      .enum(['gain-map', ...GAIN_MAP_PROBLEMS])
      .optional()
      .openapi({ description: 'With `hdr=true`: that the photo has a gain map, or why it has none.' }),
    'X-Sound': z.enum(['undecoded']).optional().openapi({
      description:
        'Of POST /motion-photo: that the clip is silent, because the sound of the video is of a codec that cannot be decoded here.',
    }),
  }),
}

/** A motion photo, or several files as a ZIP, as a file to keep. */
export function photoResponse({
  files,
  origin,
  clipQuality,
  sourceProblem,
  sourceRate,
  clipTurn,
  ultraHdr,
  isSoundLost,
  metadataLost,
}: ConvertedPhoto): Response {
  const headers = {
    'X-Clip-Quality': clipQuality,
    ...(origin.dateFrom && { 'X-Taken-At-From': origin.dateFrom }),
    ...(origin.zoneFrom && { 'X-Time-Zone-From': origin.zoneFrom }),
    ...(sourceProblem && { 'X-Clip-Quality-Reason': sourceProblem }),
    ...(sourceRate !== undefined && { 'X-Clip-Source-Rate': String(sourceRate) }),
    ...(clipTurn !== 0 && { 'X-Clip-Turned': String(clipTurn) }),
    ...(metadataLost.length > 0 && { 'X-Metadata-Lost': metadataLost.join(', ') }),
    ...(ultraHdr && { 'X-Ultra-HDR': ultraHdr }),
    ...(isSoundLost && { 'X-Sound': 'undecoded' }),
  }
  const [file, second] = files
  if (file && !second) {
    const disposition = { 'Content-Disposition': attachment(file.name) }
    const mediaType = file.name.endsWith('.HEIC') ? 'image/heic' : 'image/jpeg'
    return pictureResponse(file.bytes, { ...headers, ...disposition }, mediaType)
  }
  const pieces = zipPieces(files, origin.namedAt)
  const size = pieces.reduce((sum, { length }) => sum + length, 0)
  const disposition = { 'Content-Disposition': attachment(`${origin.name}.zip`) }
  return fileResponse(ReadableStream.from(pieces), 'application/zip', size, { ...headers, ...disposition })
}

/**
 * A file to be saved. A name that is not plain ASCII has a plain one beside it, for programs that do not know the other.
 * @see RFC 6266, 4.3 and appendix D; RFC 8187, 3.2
 */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^ !#$&-[\]-~]/gu, '_')
  if (plain === name) return `attachment; filename="${name}"`
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
