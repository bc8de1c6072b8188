/**
 * What a photo said of itself and its copy does not:
 * - `exif`, `xmp`: it is broken, or has no room in its segment
 * - `header`: both, because together they read as something else than a motion photo of the profile
 * - `profile`: a colour profile of other pixels than those of the copy, such as CMYK
 * - `thumbnail`: there is no room for it
 * - `regions`, `panorama`: faces or a panorama that say of the old pixels only
 * - `gain-map`: the picture is shown without more light, because its map cannot be read or cropped, or has no place in the file
 * - `depth`: a depth map
 * - `maker-note`: that of another maker, in whose place Apple's is
 * - `text`: words in a form that only a PNG has
 * - `pictures`, `trailer`: further pictures in the file, and other data behind the picture
 */
export const METADATA_LOSSES = [
  'exif',
  'xmp',
  'header',
  'profile',
  'thumbnail',
  'regions',
  'panorama',
  'gain-map',
  'depth',
  'maker-note',
  'text',
  'pictures',
  'trailer',
] as const

export type MetadataLoss = (typeof METADATA_LOSSES)[number]
