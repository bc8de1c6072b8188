/** Marks of a family of phones in which its models differ. What is undefined is written as known phones have it. */
export type FamilyMarks = {
  /** UserComment of OPPO's cameras: `oplus_` and decimal flags, of which bit 23 is set. */
  readonly comment: string | undefined
  /** OpCamera:MotionPhotoOwner and OLivePhotoVersion. */
  readonly owner: string | undefined
  readonly oLivePhotoVersion: number | undefined
  /** VCamera:VMotionPhotoVersion, VMotionPhotoSource and VMediaKitVersion. */
  readonly vivoVersion: number | undefined
  readonly vivoSource: number | undefined
  readonly mediaKitVersion: string | undefined
}
