import { cleanupContract } from './cleanup'
import { convertContract } from './convert'
import { documentContract } from './document'
import { frameContract } from './frames'
import { healthContract } from './health'
import { motionPhotoContract } from './motionPhoto'
import { pageContract } from './page'
import { extractContract, inspectContract, repairContract } from './photos'
import { prepareContract } from './prepare'
import { previewContract } from './preview'
import { sessionContract } from './sessions'
import { stripContract } from './strip'
import { thumbnailContract } from './thumbnail'
import { cancelUploadContract, followUploadContract } from './uploadProgress'
import { allowUploadContract, receiveUploadContract } from './uploads'

/** Every route of the media API, in the order of its OpenAPI document. */
export const CONTRACTS = [
  healthContract,
  allowUploadContract,
  receiveUploadContract,
  followUploadContract,
  cancelUploadContract,
  prepareContract,
  previewContract,
  convertContract,
  motionPhotoContract,
  thumbnailContract,
  frameContract,
  stripContract,
  cleanupContract,
  sessionContract,
  inspectContract,
  extractContract,
  repairContract,
  documentContract,
  pageContract,
] as const
