/** Boxes, of which MP4, MOV and HEIC are made. @see core/mp4/README.md */

export {
  type Box,
  childrenOf,
  encodeBox,
  encodeBoxHeader,
  encodeFullBox,
  MAX_LISTED,
  onlyBox,
  type PlacedBox,
  readBoxAt,
  readBoxes,
  readBoxesBetween,
  readBoxHeader,
  uint32List,
  uint32s,
} from './movie/boxes'
