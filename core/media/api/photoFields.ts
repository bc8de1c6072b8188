import { z } from '@hono/zod-openapi'
import { ServiceError } from '@lantern-room/base'
import { checkPictureHead } from '../photo/cover/ownCover'
import { MAX_REPEAT, MAX_SPEED, MIN_SPEED, WALLPAPER_SECONDS } from '../photo/make/clip'
import { PROFILE_NAMES, profileNamed } from '../photo/make/outputFiles'
import { CROP_FORMS, parseCrop, parseRotation, ROTATIONS } from '../pictureEdit'
import type { SentPictures } from '../preview/receiveSource'
import { MAX_PICTURE_BYTES } from '../traits'
import { formFile, formNumber, formValue, originFields, originOf } from './fields'

/** Fields that POST /convert and POST /motion-photo share: the range and the settings of the photo. */

const badCrop = `must be ${CROP_FORMS}`
const badProfile = `must be one of ${PROFILE_NAMES.join(', ')}`
const COVERS = ['time', 'source'] as const

/** A field that is true or false, also as Python writes them. Default: false. */
const flag = (description: string) =>
  z
    .enum(['true', 'false', 'True', 'False', '1', '0'], { error: 'must be true or false' })
    .default('false')
    .transform((word) => /^(true|1)$/i.test(word))
    .openapi({ type: 'string', description })

/** The settings of a motion photo other than its times. */
const photoFields = {
  profile: formValue(badProfile, profileNamed)
    .prefault('universal')
    .openapi({
      type: 'string',
      enum: [...PROFILE_NAMES],
      default: 'universal',
      description:
        'Whose galleries the file is written for. `apple` is a ZIP with the photo and the video of a Live Photo, `all` one with a file for each family of galleries and a note. The name of a maker stands for the profile of its phones.',
    }),
  mute: flag('Leaves the sound out.'),
  quality: z.enum(['preview', 'source'], { error: 'must be preview or source' }).default('preview').openapi({
    description:
      "`source` copies the original's own pictures (AVC or HEVC in MP4 or MOV, as phones decode them) at full size. Where that cannot be, the clip has the preview's; X-Clip-Quality says which.",
  }),
  cover: z
    .enum(COVERS, { error: `must be one of ${COVERS.join(', ')}` })
    .default('time')
    .openapi({
      description:
        "The cover: the video's picture at cover_time, or `source`, the own picture of the motion photo or Live Photo that the video came in, at full size. cover_time may then be left out: the moment that it shows.",
    }),
  cover_file: formFile(
    `Only in multipart/form-data: a JPEG, PNG, WebP or HEIC that is the cover, at most ${MAX_PICTURE_BYTES / 1024 ** 2} MiB. cover_time is the moment of the video that it stands for.`,
  ),
  crop: formValue(badCrop, (text) => parseCrop(text.trim()))
    .optional()
    .openapi({
      type: 'string',
      description:
        'The part of cover and clip that stays: the largest of a ratio from the middle, or WIDTHxHEIGHT in pixels of the original as shown, from the middle or at +X+Y. The clip is encoded anew.',
      example: '1:1',
    }),
  rotate: z
    .enum(ROTATIONS.map(String), { error: `must be one of ${ROTATIONS.join(', ')}` })
    .default('0')
    .transform((text) => parseRotation(text) ?? 0)
    .openapi({
      type: 'string',
      description: 'Degrees clockwise by which cover and clip are turned, after a crop.',
    }),
  repeat: formNumber(
    `How often the range is played, 1 to ${MAX_REPEAT}: for short GIFs. Only without sound.`,
    '3',
  ).optional(),
  hdr: flag(
    'Adds a gain map to the cover (Ultra HDR), if the video is PQ or HLG. X-Ultra-HDR says whether there is one, or why not. Only of a picture of the video: not with `cover=source`, `cover_file` or `profile=apple`.',
  ),
  wallpaper: flag(
    `Only with \`profile=apple\`: a Live Photo that iOS 17 and later is to move on the lock screen. The clip must last ${WALLPAPER_SECONDS.join(' to ')} s, and the photo gets the pixels of the clip.`,
  ),
  ...originFields,
}

/**
 * The fields of a form.
 * @param source whose seconds its times count: "the preview"
 */
export function photoForm(source: string) {
  return z.object({
    range_start: formNumber(`Start of the range, in seconds of ${source}.`, '1'),
    range_end: formNumber(`End of the range, in seconds of ${source}.`, '4'),
    cover_time: coverTimeOf(source).optional(),
    speed: formNumber(`Multiplier of playback speed, ${MIN_SPEED} to ${MAX_SPEED}.`, '1'),
    ...photoFields,
  })
}

export function coverTimeOf(source: string) {
  return formNumber(
    `The cover, in seconds of ${source}; clamped into the range. Only with cover=source it may be left out.`,
    '2',
  )
}

type PhotoForm = z.infer<ReturnType<typeof photoForm>>

/**
 * The settings of a photo, from the fields of a form and the pictures in it.
 * @throws ServiceError `unprocessable` naming fields; as `checkPictureHead`
 */
export function readPhotoForm(form: PhotoForm, pictures: SentPictures) {
  checkCover(form, pictures)
  if (form.wallpaper && form.profile !== 'apple')
    throw new ServiceError('unprocessable', 'wallpaper=true needs profile=apple: leave it out, or add that.')
  return {
    start: form.range_start,
    end: form.range_end,
    cover: form.cover_time,
    coverFrom: form.cover,
    coverFile: pictures.coverFile,
    speed: form.speed,
    profile: form.profile,
    mute: form.mute,
    quality: form.quality,
    hdr: form.hdr,
    wallpaper: form.wallpaper,
    origin: originOf(form),
    edit: { crop: form.crop, rotate: form.rotate },
    repeat: form.repeat,
  }
}

/** @throws ServiceError `unprocessable` when the cover is given twice, or cannot have the gain map that is asked for */
function checkCover({ cover, hdr, profile }: PhotoForm, { coverFile }: SentPictures): void {
  const asked = [
    ...(hdr ? ['hdr=true'] : []),
    ...(cover === 'source' ? ['cover=source'] : []),
    ...(coverFile ? ['cover_file'] : []),
    ...(hdr && profile === 'apple' ? ['profile=apple'] : []),
  ]
  if (asked.length > 1) {
    const list = `${asked.slice(0, -1).join(', ')} and ${asked.at(-1)}`
    throw new ServiceError('unprocessable', `${list} exclude each other: leave one of them out.`)
  }
  if (coverFile) checkPictureHead({ bytes: coverFile, name: 'cover_file' })
}

/** Whether the moment of the cover may be left out: the source's own picture says it. */
export function mayLackCoverTime(fields: ReadonlyMap<string, string>): boolean {
  return fields.get('cover')?.trim() === 'source'
}
