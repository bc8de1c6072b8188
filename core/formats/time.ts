/** Times as photos, videos, file names and people write them. @see core/formats/README.md */

export { exifDateTime, isoTime, photoBaseName, unixTimeOf } from './exif/wallClock'
export { isPlausible, type Moment, parseMoment, parseOffset } from './time/moment'
export { type NamedTime, timeInName } from './time/timeInName'
