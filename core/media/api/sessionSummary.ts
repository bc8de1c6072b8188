import { z } from '@hono/zod-openapi'
import { FPS } from '../frames'
import type { Session } from '../session'
import { SESSION_EXAMPLE } from './fields'

/** What POST /prepare tells of a session; GET /sessions/{session_id} tells it too, and more. */
export const sessionSummary = z
  .object({
    session_id: z.string().openapi({ example: SESSION_EXAMPLE }),
    preview_url: z
      .string()
      .openapi({ description: 'Absolute.', example: `http://127.0.0.1:8000/preview/${SESSION_EXAMPLE}.mp4` }),
    duration: z.number().openapi({ description: 'Seconds: frames / 30.', example: 10 }),
    width: z.int().openapi({ description: 'Pixels of the preview.' }),
    height: z.int(),
    has_audio: z.boolean(),
    frames: z.int().openapi({ description: 'Frames of the preview, at 30 a second.' }),
    expires_at: z.int().openapi({ description: 'Unix time in seconds.' }),
  })
  .openapi('PrepareResult')

/** @param publicUrl without a final slash */
export function summarize(
  session: Session,
  { publicUrl, sessionTtlSeconds }: { readonly publicUrl: string; readonly sessionTtlSeconds: number },
): z.infer<typeof sessionSummary> {
  return {
    session_id: session.id,
    preview_url: `${publicUrl}/preview/${session.id}.mp4`,
    duration: session.frames / FPS,
    width: session.width,
    height: session.height,
    has_audio: session.hasAudio,
    frames: session.frames,
    expires_at: Math.floor(session.createdAt + sessionTtlSeconds),
  }
}
