/** What other packages may use. @see core/formats/README.md */

export { type ClipStart, readClipStart } from './motionPhoto/clipStart'
export { clipLength } from './motionPhoto/findClip'
