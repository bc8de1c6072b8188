import { z } from '@hono/zod-openapi'
import { GALLERIES, PROBLEM_CODES } from '@lantern-room/formats/files'
import { CHROMAS } from '@lantern-room/mp4/video'

const problem = z.object({
  code: z.enum(PROBLEM_CODES).openapi({ example: 'xiaomi-place' }),
  detail: z.string().openapi({ description: 'What is wrong, for a person.' }),
  repair: z.string().nullable().openapi({ description: 'What POST /repair does about it; null = nothing.' }),
})

const verdict = z
  .object({
    gallery: z.enum(GALLERIES).openapi({
      description:
        'google: Pixel and Google Photos; oppo: OPPO, OnePlus, realme; huawei: Huawei and Honor; android: its own list of media (MediaStore, Android 17), which all programs can ask.',
    }),
    recognised: z
      .enum(['yes', 'unsure', 'no'])
      .openapi({ description: 'unsure where reports disagree about what is missing.' }),
    plays: z.boolean(),
    timestamp: z
      .enum(['right', 'missing', 'wrong'])
      .openapi({ description: 'Whether the moment of the picture is given, and lies in the video.' }),
    problems: z.array(problem),
  })
  .openapi('GalleryVerdict')

const clip = z.object({
  offset: z.int().openapi({ description: 'First byte in the file.' }),
  bytes: z.int(),
  duration: z.number().nullable().openapi({ description: 'Seconds. Null where the index cannot be read.' }),
  codec: z.string().nullable().openapi({ example: 'avc1' }),
  width: z.int().nullable(),
  height: z.int().nullable(),
  frames: z.int().nullable(),
  has_audio: z.boolean().nullable(),
  fps: z.number().nullable().openapi({ description: 'Frames a second, on average.' }),
  profile: z
    .string()
    .nullable()
    .openapi({ description: 'Of H.264 and HEVC, as are the next four.', example: 'High' }),
  level: z.number().nullable().openapi({ example: 3.1 }),
  bit_depth: z.int().nullable(),
  chroma: z.enum(CHROMAS).nullable(),
  interlaced: z.boolean().nullable(),
})

export const inspection = z
  .object({
    format: z.enum(['jpeg', 'heic', 'live-photo']),
    bytes: z.int(),
    width: z.int().nullable().openapi({ description: 'Pixels of the picture.' }),
    height: z.int().nullable(),
    taken_at: z.string().nullable().openapi({ description: 'As in EXIF.', example: '2026:03:04 05:06:07' }),
    time_zone: z.string().nullable().openapi({ example: '+02:00' }),
    clip: clip.nullable().openapi({ description: 'Null when the video is gone.' }),
    presentation_timestamp_us: z
      .int()
      .nullable()
      .openapi({ description: 'The moment of the video that the picture shows.' }),
    content_identifier: z.string().nullable().openapi({
      description: "What the photo and the video of an iPhone's Live Photo have in common.",
    }),
    marks: z.object({
      motion_photo: z.boolean(),
      micro_video: z.boolean(),
      samsung: z.boolean(),
      xiaomi: z.enum(['ExifIFD', 'IFD0']).nullable().openapi({ description: 'Where its EXIF tag is.' }),
      oppo: z.boolean(),
      vivo: z.boolean(),
      huawei: z.boolean(),
      mpf: z.boolean(),
    }),
    galleries: z.array(verdict),
    sending: z
      .array(
        z.object({ as: z.enum(['picture', 'file']), keeps: z.enum(['still', 'all']), detail: z.string() }),
      )
      .openapi({ description: 'What arrives when it is sent with a chat program; empty without a video.' }),
  })
  .openapi('Inspection')
