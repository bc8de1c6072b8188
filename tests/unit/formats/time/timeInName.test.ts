import { timeInName } from '#internal/formats/time/timeInName'
import { assert, suite } from '#support/runner/suite'

const test = suite('the time in the name of a file')

const NOW = Date.UTC(2026, 10, 29)

/** As clocks showed it, with its offset, with a Z where the name is in UTC, or a day alone. */
function shown(name: string): string | undefined {
  const time = timeInName(name, NOW)
  if (!time) return undefined
  const { unixMs, offsetMinutes = 0, says } = time
  const text = new Date(unixMs + offsetMinutes * 60_000).toISOString().replace('.000', '')
  if (says === 'day') return text.slice(0, 10)
  const offset = `+${String(offsetMinutes / 60).padStart(2, '0')}`
  return says === 'local' ? text.slice(0, -1) : offsetMinutes === 0 ? text : text.replace('Z', offset)
}

function check(names: Readonly<Record<string, string | undefined>>): void {
  for (const [name, time] of Object.entries(names)) assert.is(shown(name), time, name)
}

const HALF_PAST_THREE = '2024-01-14T15:30:12'

test('is told by phones', () => {
  for (const name of [
    'VID_20240114_153012.mp4',
    'IMG_20240114_153012_1.jpg',
    'MVIMG_20240114_153012.jpg',
    'VID20240114153012.mp4',
    'VID_20240114_153012_1234.mp4',
    'VID_20240114_153012~2.mp4',
    'VID_20240114_153012_HDR10PLUS.mp4',
    'VID_20240114_153012 (1).mp4',
    'V_20240114_153012_N0.mp4',
    'SVID_20240114_153012_1.mp4',
    'record_20240114_153012.mp4',
    'video_20240114_153012.mp4',
    'video_20240114_153012_edit.mp4',
    'TRIM_20240114_153012.mp4',
    '20240114_153012.mp4',
    '20240114_153012(0).jpg',
    '20240114_153012_HDR.jpg',
    'WP_20240114_15_30_12_Pro.mp4',
    'WIN_20240114_15_30_12_Pro.mp4',
    'Screen_Recording_20240114-153012_App.mp4',
    'Screen_Recording_20240114_153012_Chrome.mp4',
    'Screenrecording_20240114_153012.mp4',
    'Screenrecord-2024-01-14-15-30-12.mp4',
    'Record_2024-01-14-15-30-12_5bf1e9ea1c2b3d4e5f60718293a4b5c6.mp4',
    'screen-20240114-153012.mp4',
    'Screenshot_20240114-153012.png',
    'Screenshot_2024-01-14-15-30-12-12_5bf1e9ea1c2b3d4e5f60718293a4b5c6.jpg',
    'SL_MO_VID_20240114_153012.mp4',
  ])
    assert.is(shown(name), HALF_PAST_THREE, name)
  check({
    'Screenrecorder-2024-01-14-15-30-12-123.mp4': '2024-01-14T15:30:12.123',
    'VID_20240114_153012_123.mp4': '2024-01-14T15:30:12.123',
    'VID_20240114_153012345.mp4': '2024-01-14T15:30:12.345',
    '00001IMG_00001_BURST20240114153012345_COVER.jpg': '2024-01-14T15:30:12.345',
    'PXL_20240114_063012345.mp4': '2024-01-14T06:30:12.345Z',
    'PXL_20240114_063012345.TS.mp4': '2024-01-14T06:30:12.345Z',
    'PXL_20240114_063012345.LS~2.mp4': '2024-01-14T06:30:12.345Z',
    'PXL_20240114_063012345_exported_699_1705217412345.jpg': '2024-01-14T06:30:12.345Z',
    'original_PXL_20240114_063012345.MP.jpg': '2024-01-14T06:30:12.345Z',
    '20240114_063012000_iOS.MOV': '2024-01-14T06:30:12Z',
    'ScreenRecording_01-14-2024 15-30-12_1.mov': HALF_PAST_THREE,
    'ScreenRecording_01-04-2024 15-30-12_1.mov': '2024-01-04T15:30:12',
    'RPReplay_Final1705246212.mp4': '2024-01-14T15:30:12Z',
  })
})

test('is told by cameras, recorders and consoles', () => {
  for (const name of [
    'DJI_20240114153012_0001_D.MP4',
    'VID_20240114_153012_00_001.mp4',
    '2024_0114_153012_F.MP4',
    '2024_0114_153012_001F.MP4',
    '20240114153012_000123.MP4',
    '20240114_153012_NF.mp4',
    'NO20240114-153012-000001F.MP4',
    '2024-01-14_15-30-12-front.mp4',
    'RecM01_20240114_153012_153045_0_6D2.mp4',
    '2024011415301200-ABC0123456789ABCDEF0123456789ABC.mp4',
    'Game_20240114153012.mp4',
    '2024-01-14 15-30-12.mkv',
    'Replay 2024-01-14 15-30-12.mkv',
    'Game 2024.01.14 - 15.30.12.01.mp4',
    'Desktop 2024.01.14 - 15.30.12.05.DVR.mp4',
    'Minecraft 2024-01-14 15-30-12.mp4',
    'Minecraft 14_01_2024 15_30_12.mp4',
    'Minecraft 14.01.2024 15_30_12.mp4',
    'Minecraft 1_14_2024 3_30_12 PM.mp4',
    'Game-2024_01_14-15-30-12.mp4',
    'MedalTVGame20240114153012.mp4',
    'bandicam 2024-01-14 15-30-12.mp4',
    'Screencast from 2024-01-14 15-30-12.webm',
    'Screencast from 01-14-2024 03:30:12 PM.webm',
    '2024-01-14-153012.webm',
    'Recording 2024-01-14 153012.mp4',
    'Bildschirmaufnahme 2024-01-14 153012.mp4',
    'vlc-record-2024-01-14-15h30m12s-file.mp4',
    '2024-01-14T15_30_12.webm',
  ])
    assert.is(shown(name), HALF_PAST_THREE, name)
  check({
    'vlcsnap-2024-01-14-15h30m12s123.png': '2024-01-14T15:30:12.123',
    'Game_2024.01.14-15.30.mp4': '2024-01-14T15:30:00',
    'GMT20240114-153012_Recording_1920x1080.mp4': '2024-01-14T15:30:12Z',
    '2024-01-14T15_30_12Z.webm': '2024-01-14T15:30:12Z',
    '2024-01-14T15:30:12+0900.mp4': '2024-01-14T15:30:12+09',
    '20240114T153012.345Z.mp4': '2024-01-14T15:30:12.345Z',
    '2024-01-14 15-30-12 UTC.mp4': '2024-01-14T15:30:12Z',
    '2024-01-14_15-30-12-0500.mp4': HALF_PAST_THREE,
  })
})

test('is told by computers and chats in many languages', () => {
  for (const name of [
    'Screen Recording 2024-01-14 at 15.30.12.mov',
    'Screen Recording 2024-01-14 at 3.30.12 PM.mov',
    'Screen Recording 2024-01-14 at 3.30.12\u202fPM.mov',
    'Bildschirmaufnahme 2024-01-14 um 15.30.12.mov',
    'Grabación de pantalla 2024-01-14 a las 15.30.12.mov',
    'Grabación de pantalla 2024-01-14 a la(s) 3.30.12\u00a0p.m..mov',
    'Grabación de pantalla 2024-01-14 a la(s) 3.30.12 p. m..mov',
    'Enregistrement de l’écran 2024-01-14 à 15.30.12.mov',
    'Enregistrement de l’écran 2024-01-14 a\u0300 15.30.12.mov',
    'Registrazione schermo 2024-01-14 alle 15.30.12.mov',
    'Registrazione schermo 2024-01-14 alle ore 15.30.12.mov',
    'Registrazione schermo 2024-01-14 alle 15 30 12.mov',
    'Gravação de Tela 2024-01-14 às 15.30.12.mov',
    'Schermopname 2024-01-14 om 15.30.12.mov',
    'Skärminspelning 2024-01-14 kl. 15.30.12.mov',
    'Nagranie z ekranu 2024-01-14 o 15.30.12.mov',
    'Запись экрана 2024-01-14 в 15.30.12.mov',
    'Ekran Kaydı 2024-01-14 15.30.12.mov',
    '录屏2024-01-14 15.30.12.mov',
    '录屏2024-01-14 下午3.30.12.mov',
    '屏幕录制2024-01-14 下午3.30.12.mov',
    '屏幕录制2024-01-14-下午3.30.12.mov',
    '屏幕录制 2024年1月14日 15时30分12秒.mp4',
    '螢幕錄影 2024-01-14 下午3.30.12.mov',
    '画面収録 2024-01-14 15.30.12.mov',
    '画面収録 2024-01-14 午後3.30.12.mov',
    '화면 기록 2024-01-14 오후 3.30.12.mov',
    'WhatsApp Video 2024-01-14 at 15.30.12.mp4',
    'WhatsApp Video 2024-01-14 at 15.30.12_59fe4796.mp4',
    'WhatsApp_Video_2024-01-14_at_15.30.12.mp4',
    '00000123-VIDEO-2024-01-14-15-30-12.mp4',
    'WhatsApp Video 2024-01-14 at 3.30.12 PM.mp4',
    'WhatsApp Video 2024-01-14 um 15.30.12.mp4',
    'WhatsApp Video 2024-01-14 a las 15.30.12.mp4',
    'Vidéo WhatsApp 2024-01-14 à 15.30.12.mp4',
    'Video WhatsApp 2024-01-14 ore 15.30.12_3f9b5452.mp4',
    'Vídeo do WhatsApp de 2024-01-14 à(s) 15.30.12.mp4',
    'Vídeo WhatsApp 2024-01-14 às 15.30.12.mp4',
    'WhatsApp Video 2024-01-14 om 15.30.12.mp4',
    'WhatsApp Video 2024-01-14 saat 15.30.12.mp4',
    'WhatsApp Video 2024-01-14 o 15.30.12.mp4',
    'Видео WhatsApp 2024-01-14 в 15.30.12.mp4',
    'Video WhatsApp 2024-01-14 pukul 15.30.12_5784c61c.mp4',
    'WhatsApp视频2024-01-14于15.30.12.mp4',
    'WhatsApp 影片 2024-01-14 於 15.30.12.mp4',
    '微信视频20240114153012.mp4',
    'WeChat_20240114153012.mp4',
    'QQ视频20240114153012.mp4',
    'QQ录屏20240114153012.mp4',
    'video_2024-01-14_15-30-12.mp4',
    'video_1@14-01-2024_15-30-12.mp4',
    'signal-2024-01-14-153012.mp4',
    'KakaoTalk_Video_2024-01-14-15-30-12.mp4',
    '2024-01-14 15.30.12.mp4',
    '2024-01-14 15.30.12-1.mp4',
    'lv_0_20240114153012.mp4',
    '٢٠٢٤-٠١-١٤ في ١٥.٣٠.١٢.mp4',
  ])
    assert.is(shown(name), HALF_PAST_THREE, name)
  check({
    'Grabación de pantalla 2024-01-14 a las 0.10.31.mov': '2024-01-14T00:10:31',
    'WhatsApp Video 2024-01-14 at 12.30.12 AM (1).mp4': '2024-01-14T00:30:12',
    'WhatsApp Video 2024-01-14 at 12.30.12 PM.mp4': '2024-01-14T12:30:12',
    '录屏2024-01-14 上午12.30.12.mov': '2024-01-14T00:30:12',
    '录屏2024-01-14 中午12.30.12.mov': '2024-01-14T12:30:12',
    '画面収録 2024-01-14 午後0.30.12.mov': '2024-01-14T12:30:12',
    'Photo on 14-01-2024 at 15.30.jpg': '2024-01-14T15:30:00',
    'Movie on 1-14-24 at 3.30 PM.mov': '2024-01-14T15:30:00',
    'video_1@04-01-2024_15-30-12.mp4': '2024-01-04T15:30:12',
    'signal-2024-01-14-15-30-12-123.mp4': '2024-01-14T15:30:12.123',
    'KakaoTalk_20240114_153012123.mp4': '2024-01-14T15:30:12.123',
    'KakaoTalk_Video_20240114_1530_12_032.mp4': '2024-01-14T15:30:12.032',
    'InShot_20240114_153012345.mp4': '2024-01-14T15:30:12.345',
    'mmexport1705217412000.mp4': '2024-01-14T07:30:12Z',
    'wx_camera_1705246212345.mp4': '2024-01-14T15:30:12.345Z',
    'FB_VID_1705246212345.mp4': '2024-01-14T15:30:12.345Z',
    'LINE_MOVIE_1705246212345.mp4': '2024-01-14T15:30:12.345Z',
    'VID_20231231_235959.mp4': '2023-12-31T23:59:59',
  })
})

test('is a day where there is no more', () => {
  check({
    'VID-20240114-WA0001.mp4': '2024-01-14',
    'holiday 2024-01-14.mov': '2024-01-14',
    '20240114_C0001.MP4': '2024-01-14',
    '20240114_999999.mp4': '2024-01-14',
    'VID_20240114_250000.mp4': '2024-01-14',
    'WhatsApp Video 2024-01-14 xyz 15.30.12.mp4': '2024-01-14',
    'clip 2024-01-14 v1.20.30.mp4': '2024-01-14',
    'clip 2024-01-14 15-30.mp4': '2024-01-14',
  })
})

test('is told from that of a message', () => {
  const isOfMessage = (name: string) => timeInName(name, NOW)?.isOfMessage
  for (const name of [
    'VID-20240114-WA0001.mp4',
    'WhatsApp Video 2024-01-14 um 15.30.12.mp4',
    'VIDEO-2024-01-14-15-30-12.mp4',
    'mmexport1705217412000.mp4',
    'video_2024-01-14_15-30-12.mp4',
    'signal-2024-01-14-153012.mp4',
  ])
    assert.is(isOfMessage(name), true, name)
  for (const name of ['VID_20240114_153012.mp4', 'video_20240114_153012.mp4', '20240114_153012.mp4'])
    assert.is(isOfMessage(name), false, name)
})

test('is nothing where there is no date that can be', () => {
  for (const name of [
    '',
    'clip.mp4',
    'IMG_1234.MOV',
    'C0001.MP4',
    'DJI_0001.MP4',
    'GX010123.MP4',
    '1000012345.mp4',
    'received_1234567890123456.mp4',
    'Snapchat-1234567890.mp4',
    'call +49 1512 3456789.mp4',
    '00491512345678.mp4',
    'video_1234567890123.mp4',
    'video_9999999999999.mp4',
    'video 1920x1080.mp4',
    'video 2048x1536.mp4',
    'IMG_20241399_153012.jpg',
    'VID_20240230_120000.mp4',
    'VID_20241301.mp4',
    'VID_19700101_000000.mp4',
    'VID_18991231_120000.mp4',
    'VID_21240114_153012.mp4',
    'VID_20270114_153012.mp4',
    'id120240114153012.mp4',
    'setup-2024.1.2.mp4',
    'clip 05-06-2024 15.30.12.mp4',
    '5bf1e9ea20240114c2b3d4e5f60718293a4b5c6.mp4',
    '5bf1e9ea-2024-0114-aaaa-153012345678.mp4',
    `${'2024'.repeat(4000)}.mp4`,
    `2024-01-1${' '.repeat(15_000)}at`,
  ])
    assert.is(shown(name), undefined, name)
})

test.run()
