export const ANIMATIONS = ['gif', 'webp'] as const

export type Animation = (typeof ANIMATIONS)[number]

/** What can be taken out of a motion photo. */
export const EXTRACTS = ['still', 'clip', ...ANIMATIONS] as const
