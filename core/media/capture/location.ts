import type { Place } from '../traits'

/**
 * Reads a point as phones write it into videos: `+48.1372+011.5755+519.000/`, with or without altitude.
 * @returns undefined for text that is none, and for 0, 0, which phones write that have not found their place
 * @see ISO 6709, annex H, decimal degrees
 */
export function parseLocation(text: string): Place | undefined {
  const match = /^([+-]\d{2}(?:\.\d{1,12})?)([+-]\d{3}(?:\.\d{1,12})?)([+-]\d{1,5}(?:\.\d{1,6})?)?/.exec(text)
  if (!match) return undefined
  const [latitude, longitude] = [Number(match[1]), Number(match[2])]
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return undefined
  if (latitude === 0 && longitude === 0) return undefined
  return { latitude, longitude, altitude: match[3] === undefined ? undefined : Number(match[3]) }
}
