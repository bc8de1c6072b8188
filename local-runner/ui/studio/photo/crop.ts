/** What stays of a picture, in its pixels. */
export type Region = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

type Size = Pick<Region, 'width' | 'height'>

/** The service takes none smaller. */
const MIN_SIDE = 16

/** `640x480+0+120`, as POST /convert takes it. */
export function textOfRegion({ x, y, width, height }: Region): string {
  return `${width}x${height}+${x}+${y}`
}

/** The largest part of a shape, from the middle. @param shape such as `4:3`; `own` is the picture's */
export function largestRegion(shape: string, picture: Size): Region {
  const [across = picture.width, down = picture.height] = shape === 'own' ? [] : shape.split(':').map(Number)
  const scale = Math.min(picture.width / across, picture.height / down)
  const [width, height] = [across * scale, down * scale]
  return within({ x: (picture.width - width) / 2, y: (picture.height - height) / 2, width, height }, picture)
}

/** Moves a part, no further than the edges. */
export function moveRegion(region: Region, right: number, down: number, picture: Size): Region {
  return within({ ...region, x: region.x + right, y: region.y + down }, picture)
}

/** Makes a part wider, in its shape, from its first corner. */
export function widenRegion({ x, y, width, height }: Region, by: number, picture: Size): Region {
  const most = Math.min((picture.width - x) / width, (picture.height - y) / height)
  const least = MIN_SIDE / Math.min(width, height)
  const scale = Math.max(least, Math.min((width + by) / width, most))
  return within({ x, y, width: width * scale, height: height * scale }, picture)
}

/** Inside of the picture, with even sides and places, as videos need them. */
function within(region: Region, picture: Size): Region {
  const even = (value: number, most: number) =>
    Math.max(0, Math.min(Math.round(value / 2), Math.floor(most / 2))) * 2
  const [width, height] = [even(region.width, picture.width), even(region.height, picture.height)]
  return {
    width,
    height,
    x: even(region.x, picture.width - width),
    y: even(region.y, picture.height - height),
  }
}
