import type { Clock } from '@lantern-room/base/async'
import type { Callbacks, Quotas } from '@lantern-room/clients'
import type { ByteSource } from '@lantern-room/mp4/source'
import type { MediaConfig } from './config'
import type { JobQueue } from './jobs/jobQueue'
import type { ObjectStore } from './objectStore/ports'
import type { Ffmpeg, Metrics, ReceiveBody, ReceiveForm, WebpDecoder, WorkFolders } from './ports'
import type { Sessions } from './sessions/sessions'
import type { StorageQuota } from './sessions/storageQuota'
import type { Uploads } from './uploads/uploads'

/** Of what a host of the media API is composed. Each use case names the parts that it needs. */
export type MediaParts = {
  readonly store: ObjectStore
  readonly sessions: Sessions
  readonly uploads: Uploads
  readonly callbacks: Callbacks
  readonly quota: StorageQuota
  /** What clients use in a day. */
  readonly quotas: Quotas
  readonly jobs: JobQueue
  readonly workFolders: WorkFolders
  readonly receiveForm: ReceiveForm
  readonly receiveBody: ReceiveBody
  /** Opens a file of this machine, to be read by range. */
  readonly openFile: (path: string) => Promise<ByteSource>
  readonly ffmpeg: Ffmpeg
  readonly webp: WebpDecoder
  readonly metrics: Metrics
  readonly clock: Clock
  readonly limits: MediaConfig['limits']
  readonly previewSize: MediaConfig['previewSize']
  /** Processors of this machine: ffmpeg decodes with as many threads, and no more programs run at a time for one preview. */
  readonly processors: number
  /** Version of this program, which photos name as the software that made them. */
  readonly version: string
  /** Aborts when the host stops. */
  readonly stopping: AbortSignal
}
