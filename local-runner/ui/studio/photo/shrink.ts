import { numberAt } from '@lantern-room/mp4/source'

/** So many points in a row, and in a column, make one of the smaller picture. */
const POINTS = 4

/** A picture made smaller by the mean of some of its points: a browser would copy all of its pixels first. */
export function shrink(picture: ImageData, width: number, height: number): ImageData {
  const small = new ImageData(width, height)
  const [across, down] = [placesOf(picture.width, width), placesOf(picture.height, height)]
  const meanAt = (x: number, y: number, colour: number) => {
    let sum = 0
    for (let point = 0; point < POINTS ** 2; point += 1) {
      const row = numberAt(down, y * POINTS + Math.floor(point / POINTS))
      const column = numberAt(across, x * POINTS + (point % POINTS))
      sum += numberAt(picture.data, (row * picture.width + column) * 4 + colour)
    }
    return sum / POINTS ** 2
  }
  for (let at = 0; at < small.data.length; at += 1) {
    const place = Math.floor(at / 4)
    small.data[at] = meanAt(place % width, Math.floor(place / width), at % 4)
  }
  return small
}

/** Where the points lie along a side. */
function placesOf(side: number, toSide: number): number[] {
  return Array.from({ length: toSide * POINTS }, (_, at) =>
    Math.floor(((at + 0.5) * side) / (toSide * POINTS)),
  )
}
