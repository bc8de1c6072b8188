import type { Gallery } from '#core/media/motionPhoto/profile'
import type { Words } from './language'

/** The families of galleries, by the ids that the API and the trial use. */
export const galleryNames = {
  google: ['Google Photos, Pixel', 'Google 相册、Pixel'],
  samsung: ['Samsung', '三星'],
  xiaomi: ['Xiaomi', '小米'],
  oppo: ['OPPO, OnePlus, realme', 'OPPO、一加、真我'],
  vivo: ['vivo', 'vivo'],
  huawei: ['Huawei, Honor', '华为、荣耀'],
  apple: ['Apple Photos', '苹果照片'],
} satisfies Record<Gallery, Words>
