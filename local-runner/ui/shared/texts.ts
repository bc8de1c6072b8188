import type { Gallery } from '#core/formats/profiles/profile'
import { speak, type Words } from './language'

/** Texts of all pages. */
export const common = speak({
  language: ['Language', '语言'],
  skip: ['Skip to the content', '跳到主要内容'],
  tokenTitle: ['This service needs a token', '此服务需要访问令牌'],
  tokenText: [
    'Enter the token that was set for this service. It is kept in this tab only.',
    '请输入为此服务设置的令牌。令牌只保存在当前标签页中。',
  ],
  token: ['Token', '令牌'],
  tokenUse: ['Continue', '继续'],
  tokenWrong: ['That token is not right.', '令牌不正确。'],
  unreachable: ['The service does not answer. Is it still running?', '程序没有响应，可能已关闭。'],
} satisfies Record<string, Words>)

/** The families of galleries, by the ids that the API uses. */
export const galleryNames = {
  google: ['Google Photos, Pixel', 'Google 相册、Pixel'],
  samsung: ['Samsung', '三星'],
  xiaomi: ['Xiaomi', '小米'],
  oppo: ['OPPO, OnePlus, realme', 'OPPO、一加、真我'],
  vivo: ['vivo', 'vivo'],
  huawei: ['Huawei, Honor', '华为、荣耀'],
  android: ['Android 17', '安卓 17'],
  apple: ['Apple Photos', '苹果照片'],
} satisfies Record<Gallery, Words>
