import { exifDateTime, type WallClock } from './wallClock'

/** `IMG_YYYYMMDD_HHMMSS_MP.jpg`: galleries recognise a motion photo by the end of its name, too. */
export function photoName(time: WallClock): string {
  return `IMG_${exifDateTime(time).replaceAll(':', '').replace(' ', '_')}_MP.jpg`
}
