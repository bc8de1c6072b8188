import type { Log } from '@lantern-room/base'
import { readTold } from '@lantern-room/clients'
import { extractPhoto, inspectPhoto, repairPhoto } from '../photo/apart/photoAnswers'
import type { createSessionThumbnails } from '../preview/frames/sessionThumbnails'
import type { Resume } from '../uploads/asked'
import { cancelUpload, followUpload } from '../uploads/followUpload'
import { allowUpload, receiveUpload } from '../uploads/receiveUpload'
import type { MediaRoute } from './mediaRoute'
import { extractRoute, inspectRoute, repairRoute } from './photos'
import { frameRoute, thumbnailRoute } from './pictures'
import { allowUploadRoute, cancelUploadRoute, followUploadRoute, receiveUploadRoute } from './uploads'

// Routes that belong together, for a host of the whole API as for one with a function for each group.

type PartsOf<Work extends (parts: never, ...rest: never[]) => unknown> = Parameters<Work>[0]

/** POST /uploads, and PUT, GET and DELETE /uploads/{upload_id}. @param resume undefined where nothing can be begun by itself */
export function uploadGroup(
  parts: PartsOf<typeof allowUpload> & PartsOf<typeof receiveUpload> & PartsOf<typeof cancelUpload>,
  log: Pick<Log, 'info'>,
  resume: Resume | undefined,
): readonly MediaRoute[] {
  return [
    allowUploadRoute((file, client) => allowUpload(parts, file, client)),
    receiveUploadRoute((id, request, signal) => receiveUpload(parts, id, request, signal)),
    followUploadRoute(
      (id) => followUpload(parts, id, resume),
      (id) => readTold(parts.store, id),
    ),
    cancelUploadRoute((id) => cancelUpload(parts, id), log),
  ]
}

/** POST /inspect, POST /extract and POST /repair. */
export function photoGroup(parts: PartsOf<typeof inspectPhoto>): readonly MediaRoute[] {
  return [
    inspectRoute((request, caller) => inspectPhoto(parts, request, caller)),
    extractRoute((request, caller) => extractPhoto(parts, request, caller)),
    repairRoute((request, caller) => repairPhoto(parts, request, caller)),
  ]
}

/** POST /thumbnail, and GET and HEAD /sessions/{session_id}/frames/{n}.jpg. */
export function thumbnailGroup({
  atTime,
  findFrame,
}: ReturnType<typeof createSessionThumbnails>): readonly MediaRoute[] {
  return [thumbnailRoute(atTime), frameRoute(findFrame)]
}
