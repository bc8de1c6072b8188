import { speak, type Words, withNumber, withText } from '../shared/language'
import { galleryNames } from '../shared/texts'

/** Every text of the studio. */
export const say = speak({
  title: ['Motion Photo Studio', '动态照片工坊'],
  lead: [
    'Turn a moment of a video into a photo that comes alive in your phone’s gallery.',
    '把视频中的一刻变成会动的照片，在手机相册里一按就播放。',
  ],
  footer: [
    'Your video goes to this service only, and is deleted when the session expires.',
    '视频只发送到此服务，会话过期后即被删除。',
  ],
  apiLink: ['API document', 'API 文档'],

  // Choosing a file.
  dropTitle: ['Drop a video here', '把视频拖到这里'],
  dropText: [
    'or paste it, or choose it: video, GIF, WebP or APNG',
    '也可以粘贴或选择文件：视频、GIF、WebP 或 APNG',
  ],
  choose: ['Choose a file', '选择文件'],
  dropNow: ['Let go to start', '松开即可开始'],

  // While it is sent and prepared.
  sending: ['Sending the file', '正在发送文件'],
  receiving: ['Receiving the file', '正在接收文件'],
  queued: ['Waiting for a free place', '正在排队'],
  reading: ['Reading the video', '正在读取视频'],
  preparing: ['Preparing the preview', '正在生成预览'],
  storing: ['Almost done', '即将完成'],
  converting: ['Making the photo', '正在生成照片'],
  place: withNumber(
    (value) => `place ${value} in the queue`,
    (value) => `排在第 ${value} 位`,
  ),
  secondsLeft: withNumber(
    (value) => `about ${Math.ceil(value)} s left`,
    (value) => `约剩 ${Math.ceil(value)} 秒`,
  ),
  cancel: ['Cancel', '取消'],
  another: ['Another file', '换一个文件'],

  // The editor.
  play: ['Play the selection', '播放所选片段'],
  pause: ['Pause', '暂停'],
  timeline: ['Selection', '所选片段'],
  timelineHint: [
    'Drag the ends and the cover, or focus one and use the arrow keys: one frame each, ten with Shift.',
    '拖动两端和封面，或聚焦后用方向键调整：每次一帧，按住 Shift 每次十帧。',
  ],
  start: ['Start', '开始'],
  end: ['End', '结束'],
  cover: ['Cover', '封面'],
  coverHere: ['Cover from the current frame', '以当前画面为封面'],
  speed: ['Speed', '速度'],
  sound: ['Keep the sound', '保留声音'],
  noSound: ['This video has no sound.', '此视频没有声音。'],
  phones: ['For', '适用手机'],
  universal: ['Most phones', '大多数手机'],
  huaweiOnly: ['Huawei, Honor', '华为、荣耀'],
  appleOnly: ['iPhone: a Live Photo (ZIP)', 'iPhone：实况照片（ZIP）'],
  allPhones: ['All, a file for each (ZIP)', '全部，每类一个文件（ZIP）'],
  googleOnly: ['Google’s format only', '仅 Google 格式'],
  oldPhones: ['Old Xiaomi phones', '旧款小米手机'],
  original: ['Original quality where possible', '尽量保留原始画质'],
  originalHint: [
    'Copies the video’s own pictures instead of the preview’s.',
    '直接使用视频的原始画面，而不是预览画面。',
  ],
  more: ['More options', '更多选项'],
  still: ['Cover picture', '封面图片'],
  stillTime: ['From the video', '来自视频'],
  stillSource: ['The photo’s own picture', '照片自带的图片'],
  stillOwn: ['A picture of yours', '自选图片'],
  stillFile: ['Picture file', '封面图片文件'],
  crop: ['Crop', '裁剪'],
  cropNone: ['No crop', '不裁剪'],
  rotate: ['Turn clockwise', '顺时针旋转'],
  degrees: withText(
    (value) => `${value}°`,
    (value) => `${value}°`,
  ),
  metadata: ['The photo tells', '照片中保留'],
  metadataDate: ['when it was taken', '拍摄时间'],
  metadataNone: ['nothing', '不保留信息'],
  metadataAll: ['time, place and phone', '时间、地点和机型'],
  repeat: ['Play the range, times', '重复播放次数'],
  repeatHint: ['Only without sound.', '仅限没有声音时。'],
  donor: ['A motion photo of your phone', '你手机拍的动态照片'],
  donorHint: ['The new photo gets its maker, model and marks.', '新照片会采用它的厂商、机型和标记。'],
  hdr: ['Ultra HDR', 'Ultra HDR'],
  hdrHint: ['If the video is HDR; with a cover from the video.', '视频为 HDR 且封面来自视频时有效。'],
  length: ['Length', '时长'],
  size: ['Size, about', '大小（约）'],
  seconds: withText(
    (value) => `${value} s`,
    (value) => `${value} 秒`,
  ),
  convert: ['Make the motion photo', '生成动态照片'],

  // The results.
  results: ['Your motion photos', '生成的动态照片'],
  resultPlay: ['Point at it or focus it to play', '指向或聚焦即可播放'],
  resultTap: ['Tap to play', '轻触即可播放'],
  resultName: withText(
    (value) => `Motion photo ${value}`,
    (value) => `动态照片 ${value}`,
  ),
  download: ['Download', '下载'],
  qualitySource: ['original quality', '原始画质'],
  qualityPreview: ['preview quality', '预览画质'],
  hdrThere: ['Ultra HDR', 'Ultra HDR'],
  hdrStandard: ['no HDR: the video has none', '非 HDR：视频不是 HDR'],
  hdrEdited: ['no HDR: the cover is a picture of its own', '非 HDR：封面是单独的图片'],
  hdrNotFound: ['no HDR: the picture could not be read', '非 HDR：无法读取该画面'],
  hdrProfile: ['no HDR in a Live Photo', '实况照片不支持 HDR'],
  allNote: [
    'A ZIP with a file for each family of phones, and a note that says which is whose.',
    'ZIP 中为每类手机各有一个文件，并附说明。',
  ],
  verdicts: ['Which galleries play it', '哪些相册能播放'],
  yes: ['yes', '能'],
  unsure: ['probably', '应该能'],
  no: ['no', '不能'],
  ...galleryNames,

  // Sessions of before.
  earlier: ['Earlier videos', '之前的视频'],
  expires: withText(
    (value) => `kept until ${value}`,
    (value) => `保留至 ${value}`,
  ),
  goOn: ['Continue', '继续'],
  remove: ['Delete', '删除'],
  goOnWith: withText(
    (value) => `Continue with ${value}`,
    (value) => `继续处理 ${value}`,
  ),
  removeThis: withText(
    (value) => `Delete ${value}`,
    (value) => `删除 ${value}`,
  ),
  pasted: ['pasted file', '粘贴的文件'],

  // Failures.
  notAFile: ['That was no file. Drop a video or an animated image.', '这不是文件。请拖入视频或动图。'],
  'invalid-request': ['', '文件或设置有问题。'],
  'not-found': [
    'This video is no longer here; its time was over. Send it again.',
    '这个视频已过期，请重新发送。',
  ],
  conflict: ['', '上传已被取消，或正在使用中。请重新发送。'],
  'payload-too-large': ['', '文件太大了。'],
  'unsupported-media': ['', '无法读取此文件：它不是受支持的视频或动图。'],
  'out-of-range': ['', '所选片段超出了范围。'],
  unprocessable: ['', '有一项设置不正确。'],
  'too-busy': ['', '现在任务太多，请稍后再试。'],
  internal: ['', '服务出错了，请重试。'],
  unavailable: ['', '服务暂时不可用，请稍后再试。'],
  timeout: ['', '处理时间过长，请选取更短的片段后重试。'],
} satisfies Record<string, Words>)
