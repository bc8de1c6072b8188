/** Pixels. */
export type Size = { readonly width: number; readonly height: number }

/** Degrees, north and east positive; metres above sea level. */
export type Place = {
  readonly latitude: number
  readonly longitude: number
  readonly altitude: number | undefined
}
