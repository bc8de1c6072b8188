/** Families of galleries that recognise motion photos by the same marks. */
export const GALLERIES = ['google', 'samsung', 'xiaomi', 'oppo', 'vivo', 'huawei', 'apple'] as const

export type Gallery = (typeof GALLERIES)[number]
