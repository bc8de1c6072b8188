/** What stays of a picture, in its pixels. */
export type Box = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

type Size = Pick<Box, 'width' | 'height'>

/** The service takes none smaller. */
const MIN_SIDE = 16

/** `640x480+0+120`, as POST /convert takes it. */
export function textOfBox({ x, y, width, height }: Box): string {
  return `${width}x${height}+${x}+${y}`
}

/** @returns undefined for other text than `textOfBox` gives */
export function boxOfText(text: string): Box | undefined {
  const [, width, height, x, y] = /^(\d+)x(\d+)\+(\d+)\+(\d+)$/.exec(text)?.map(Number) ?? []
  if (width === undefined || height === undefined || x === undefined || y === undefined) return undefined
  return { width, height, x, y }
}

/** The largest part of a shape, from the middle. @param shape such as `4:3`; `own` is the picture's */
export function largestBox(shape: string, picture: Size): Box {
  const [across = picture.width, down = picture.height] = shape === 'own' ? [] : shape.split(':').map(Number)
  const scale = Math.min(picture.width / across, picture.height / down)
  const [width, height] = [across * scale, down * scale]
  return within({ x: (picture.width - width) / 2, y: (picture.height - height) / 2, width, height }, picture)
}

/** Moves a part, no further than the edges. */
export function moveBox(box: Box, right: number, down: number, picture: Size): Box {
  return within({ ...box, x: box.x + right, y: box.y + down }, picture)
}

/** Makes a part wider, in its shape, from its first corner. */
export function widenBox({ x, y, width, height }: Box, by: number, picture: Size): Box {
  const most = Math.min((picture.width - x) / width, (picture.height - y) / height)
  const least = MIN_SIDE / Math.min(width, height)
  const scale = Math.max(least, Math.min((width + by) / width, most))
  return within({ x, y, width: width * scale, height: height * scale }, picture)
}

/** Inside of the picture, with even sides and places, as videos need them. */
function within(box: Box, picture: Size): Box {
  const even = (value: number, most: number) =>
    Math.max(0, Math.min(Math.round(value / 2), Math.floor(most / 2))) * 2
  const [width, height] = [even(box.width, picture.width), even(box.height, picture.height)]
  return {
    width,
    height,
    x: even(box.x, picture.width - width),
    y: even(box.y, picture.height - height),
  }
}
