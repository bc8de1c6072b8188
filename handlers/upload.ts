import { receiveBody } from '@lantern-room/adapters/forms'
import { sqsQueue } from '@lantern-room/adapters/objectStore/queue'
import { uploadRoutes } from '@lantern-room/media/functions'
import { mediaHandler, queueUrl } from './compose'

const send = queueUrl === undefined ? undefined : sqsQueue(queueUrl).send

/** POST /uploads, and PUT, GET and DELETE /uploads/{upload_id} */
export const handler = mediaHandler((shared) => uploadRoutes(shared, receiveBody, send))
