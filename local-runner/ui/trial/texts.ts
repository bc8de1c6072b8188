import { VARIANT_IDS, VARIANTS, type VariantId } from '#core/media/trial/variants'
import { speak, type Words, withNumber, withText } from '../shared/language'
import { galleryNames } from '../shared/texts'

/** Every text of the page, but for what the variants are. */
export const say = speak({
  title: ['Motion photo trial', '动态照片测试'],
  footer: [
    'The files and your verdicts stay between this phone and the computer that shows this page.',
    '文件和结果只在这部手机与显示此页面的电脑之间传输。',
  ],
  loading: ['Loading', '正在加载'],
  lead: [
    'Each photo differs from the first in one thing. Download it, open it in the gallery, and tap what you see.',
    '每张照片与第一张只有一处不同。下载后在相册中打开，然后点选你看到的结果。',
  ],
  link: ['Open this page on a phone', '在手机上打开此页面'],
  qr: ['QR code of this page', '此页面的二维码'],

  // The phone.
  phone: ['Your phone', '你的手机'],
  model: ['Maker and model', '品牌和型号'],
  system: ['System and version', '系统和版本'],
  gallery: ['Gallery app and version', '相册应用和版本'],
  family: ['Family of galleries', '相册系列'],
  ...galleryNames,
  other: ['Another one', '其他'],
  tried: withNumber(
    (value) => `${value} tried in this gallery`,
    (value) => `此相册已测试 ${value} 张`,
  ),

  // A variant.
  download: ['Download', '下载'],
  downloadThis: withText(
    (value) => `Download ${value}`,
    (value) => `下载 ${value}`,
  ),
  whatHappens: ['What the gallery does', '相册中的结果'],
  plays: ['It plays', '能播放'],
  recognised: ['Marked as moving, does not play', '有动态标记，但不播放'],
  still: ['A still only', '只是静态照片'],
  'not-shown': ['Not shown at all', '不显示'],
  date: ['Sorted at the right time?', '排序时间正确吗？'],
  right: ['yes', '正确'],
  wrong: ['no', '不正确'],
  unknown: ['not checked', '未检查'],
  saved: ['Saved', '已保存'],
  predicted: withText(
    (value) => `Predicted: ${value}`,
    (value) => `预测：${value}`,
  ),
  yes: ['it plays', '能播放'],
  unsure: ['probably plays', '可能播放'],
  no: ['a still', '静态照片'],
  unlike: ['This is not what was predicted.', '与预测不同。'],
  leftOut: ['Left out', '未生成'],

  // Failures.
  fillIn: ['First say which phone and which gallery this is.', '请先填写手机型号和相册应用。'],
  failed: ['The verdict was not saved. Tap it again.', '结果没有保存，请再点一次。'],
  notLoaded: ['The trial cannot be read. Load the page again.', '无法读取测试内容，请重新加载页面。'],
} satisfies Record<string, Words>)

const CHINESE: Readonly<Record<VariantId, string>> = {
  universal: '标准的 universal 配置：其他照片都与它比较。',
  'no-xiaomi-tag': '去掉小米的 EXIF 标签 0x8897：检查相册是否需要它。',
  'no-oppo-comment': '去掉 UserComment oplus_8388608：检查 ColorOS 是否需要它。',
  'no-oppo-fields': '去掉 XMP 中的 OpCamera 字段：检查 ColorOS 是否需要它们。',
  'no-mpf': '去掉 MPF 索引：检查相册是否查找它。',
  'no-vivo-fields': '去掉 XMP 中的 VCamera 字段：检查 vivo 是否需要它们。',
  'no-samsung-trailer': '去掉三星的块头和尾部：检查相册是否靠它们找到视频。',
  legacy: 'legacy 配置，带旧的 MicroVideo 字段：检查相册会读取它们还是因此出错。',
  'no-padding': '目录中没有 Item:Padding：检查相册是否从照片往后数到视频。',
  'clip-first': '目录中视频排在照片之前：检查相册按顺序还是按名称查找。',
  'timestamp-absent': '没有封面时刻：检查相册此时从哪里开始播放。',
  'timestamp-zero': '封面时刻为 0，即第一帧：检查相册是否使用它。',
  'timestamp-milliseconds': '封面时刻以毫秒为单位：检查相册是否按微秒读取。',
  hevc: '视频用 HEVC 而不是 H.264：检查相册能否播放。',
  'no-sound': '视频没有声音：检查相册是否需要音轨。',
  silence: '视频带静音音轨：检查相册是否需要音轨。',
  longer: '视频更长，最多十秒：检查相册是否限制长度。',
  'name-mvimg': '同样的内容，用 Pixel 和小米的旧文件名（MVIMG_）：检查文件名是否重要。',
  'name-pxl': '同样的内容，用 Pixel 相机的文件名（PXL_、.MP.jpg）：检查文件名是否重要。',
  'name-img': '同样的内容，用普通照片的文件名（IMG_，没有 MP）：检查文件名是否重要。',
  google: 'google 配置，严格遵守谷歌的规范：检查仅此是否足够。',
  huawei: 'huawei 配置，以华为和荣耀的尾部结束：检查它们能否找到视频。',
  apple: 'apple 配置，含实况照片两个文件的 ZIP：检查“照片”是否把它们当作一张。',
}

/** What differs in a variant, and what it tells. */
export const differsOf = speak(
  Object.fromEntries(
    VARIANT_IDS.map((id) => [id, [VARIANTS[id].differs, CHINESE[id]]]),
  ) as unknown as Readonly<Record<VariantId, readonly [en: string, zh: string]>>,
)
