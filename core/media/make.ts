/** Making a motion photo of a file, without sessions. @see core/media/README.md */

export { refusals, serviceErrorOf } from './formatRefusal'
export { FPS } from './frames'
export { checkPictureHead } from './photo/cover/ownCover'
export { type ConvertTask, convertClip } from './photo/make/convertClip'
export type { OutputFile } from './photo/make/outputFiles'
export { type PhotoOfFile, type PhotoRequest, type PhotoTools, photoOfFile } from './photo/make/photoOfFile'
export { checkPhotoRange, type PhotoRange } from './photo/make/photoRange'
export { preparePreview } from './preview/preparePreview'
export { videoOf } from './preview/videoOf'
export { MAX_PICTURE_BYTES } from './traits'
