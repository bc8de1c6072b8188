import { exifDateTime, type WallClock } from './wallClock'

/**
 * `IMG_YYYYMMDD_HHMMSS`, as phones name photos. Of a motion photo `_MP.jpg` must follow: galleries recognise one by the end
 * of its name, too.
 */
export function photoBaseName(time: WallClock): string {
  return `IMG_${exifDateTime(time).replaceAll(':', '').replace(' ', '_')}`
}
