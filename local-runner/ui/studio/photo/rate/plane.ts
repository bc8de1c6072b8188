/** A plane of a picture. */
export type Plane = { readonly data: Uint8Array; readonly width: number; readonly height: number }

/** Luma, and two planes of chroma of half its width and height; its sides are multiples of 16. */
export type Picture = readonly [Plane, Plane, Plane]

export function emptyLike({ data, width, height }: Plane): Plane {
  return { data: new Uint8Array(data.length), width, height }
}
