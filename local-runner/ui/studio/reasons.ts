import type { ProblemCode } from '#core/formats/motionPhoto/inspect'
import { speak, type Words } from '../shared/language'

/** Why a gallery does not play a photo. Where the English one is empty, the service's own words say it. */
const reason = speak({
  'has-clip': ['', '文件里没有视频：可能被聊天软件、编辑器或上传过程去掉了。'],
  'google-mark': ['', 'XMP 中缺少动态照片标记（GCamera:MotionPhoto="1"）。'],
  'google-directory': ['', 'XMP 中没有列出视频的目录（Container:Directory）。'],
  'item-length': ['', '目录中的视频长度（Item:Length）不对，从文件末尾找不到视频的开头。'],
  'micro-video': ['', 'XMP 中缺少旧版标记（GCamera:MicroVideo="1"）。'],
  'micro-video-offset': ['', '旧版标记中的偏移量（GCamera:MicroVideoOffset）不对，从文件末尾找不到视频。'],
  'no-micro-video': ['', 'XMP 中有旧版标记 GCamera:MicroVideo，ColorOS 会因此使用旧代码，只显示静态照片。'],
  'samsung-block': ['', '文件末尾没有指向视频的三星目录。'],
  'xiaomi-mark': ['', 'EXIF 中缺少小米的标签 0x8897。'],
  'xiaomi-place': ['', '小米的标签 0x8897 在 IFD0 中，而它的相册只在 ExifIFD 中查找。'],
  'oppo-xmp': ['', 'XMP 中缺少 OpCamera 字段。'],
  'oppo-length': ['', 'OpCamera:VideoLength 与视频的长度不符。'],
  'oppo-comment': ['', 'EXIF 的 UserComment 不是第 23 位为 1 的 oplus_ 数字，例如 oplus_8388608。'],
  'oppo-index': ['', '缺少 ColorOS 要查找的 MPF 索引。'],
  'vivo-xmp': ['', 'XMP 中缺少 VCamera:VMotionPhotoVersion。'],
  'huawei-tail': [
    'Huawei and Honor find the clip in another way: choose “Huawei, Honor” above.',
    '华为和荣耀用另一种方式查找片段：请在上方选择“华为、荣耀”。',
  ],
  'special-format': [
    '',
    '安卓系统按固定前缀查找标记（GCamera:MotionPhoto、Container:Directory），此文件的写法不同。',
  ],
  'apple-pair': [
    'An iPhone shows this file as a still: its live photos are two files.',
    'iPhone 会把此文件显示为静态照片：它的实况照片由两个文件组成。',
  ],
  'apple-photo': ['', '照片的 MakerNote 中没有内容标识符（0x0011）。'],
  'apple-video': ['', '视频中没有内容标识符（com.apple.quicktime.content.identifier）。'],
  'apple-identifier': ['', '照片与视频的标识符不一致。'],
  'apple-still-time': ['', '视频中没有标明静态画面时间的轨道（com.apple.quicktime.still-image-time）。'],
  'apple-name': ['', '照片与视频的文件名不同，有些程序靠文件名配对。'],
  'live-photo': ['', '视频在另一个文件里，此相册只显示静态照片。'],
  'clip-unplayable': ['', '手机无法播放这段视频的格式。'],
  'clip-codec': ['', '手机无法解码这段视频的编码方式：请用 quality=preview 重新制作。'],
  'clip-interlaced': ['', '视频是隔行扫描的，手机无法正常播放：请用 quality=preview 重新制作。'],
  'clip-size': ['', '视频画面太大，许多手机无法解码：请用 quality=preview 重新制作。'],
  'clip-rate': ['', '视频每秒的数据太多，手机无法解码：请用 quality=preview 重新制作。'],
  'clip-changes': ['', '视频的画面尺寸或格式中途改变：请用 quality=preview 重新制作。'],
  'clip-mirrored': ['', '视频需要镜像或倾斜显示，安卓相册不支持：请用 quality=preview 重新制作。'],
  'clip-hev1': ['', '视频标记为 hev1 或 avc3，苹果的程序不接受：请用原视频重新制作。'],
  'timestamp-missing': ['', '文件没有说明封面是视频中的哪一刻。'],
  'timestamp-wrong': ['', '封面的时间不在视频之内。'],
} satisfies Record<ProblemCode, Words>)

/** @param problem of POST /inspect; a newer service may know more codes */
export function reasonOf({ code, detail }: { readonly code: string; readonly detail: string }): string {
  return isKnown(code) ? reason(code) || detail : detail
}

function isKnown(code: string): code is ProblemCode {
  return reason(code as ProblemCode) !== undefined
}
