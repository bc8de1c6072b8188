/** A file of a real phone in a public repository: brought when it is needed, never kept in this one. */
export type RealFile = {
  /** Unique, and a file's name. */
  readonly name: string
  /** Of GitHub: `owner/name`. */
  readonly repository: string
  readonly path: string
  readonly phone: string
  /** Git's own hash of the content: SHA-1 of `blob <bytes>\0` and the content. */
  readonly blob: string
  /** Of the content; undefined where nobody has noted it yet. */
  readonly sha256: string | undefined
}

/** The commits that the files are taken from. */
export const COMMITS = {
  'androidx/media': '2bc207851df311340767e913931ca7b28cab1794',
  'PetrVys/MotionPhotoSamples': 'f2f1f93db1d01bbdb8d71122d3bbe2dba59a2a78',
  'immich-app/test-assets': 'ec56cc6c1d76c45bc9615dc6ea232470a2b0a3a1',
  'ente-io/motion_photos': 'ddf5eba70103c2add7c20010430d9db654ddf95c',
  'g0ddest/sm_motion_photo': 'e5f9d6b96d9f93e7dfd42dd06e4bd11077c84b59',
  'sickelap/motion-photo-samples': '68253d9b63fc72d466090fe9050d7724f7971eb4',
  'photoprism/photoprism': '382ffa89927f9fa2aca6ab83481177e0d81dd405',
  'code-path/goLive': '1d257ae45a69411df1b08027474c52cd4b1a1d97',
} as const satisfies Readonly<Record<string, string>>

/** Of each repository, a file a line: name, phone, path, blob, and its SHA-256 where it is known. */
const FILES: Readonly<Record<keyof typeof COMMITS, string>> = {
  'androidx/media': `
    pixel-3a-jfif | Pixel 3a, shortened | libraries/test_data/src/test/assets/media/jpeg/pixel-motion-photo-jfif-segment-shortened.jpg | 23b27d420fb461af4cb8d06b8341d7359911cec0 | bee753399aa8d6efb61f07c2219fdb0205b3384c826dafcbe784491af73b2c3f
    pixel-shortened | Pixel, video cut short | libraries/test_data/src/test/assets/media/jpeg/pixel-motion-photo-shortened.jpg | 082b9c6a0eda49e1e80ee3fd0437ad7cd4619751 | 88c009407efdef13323bbe6b1c943323fb4610ffd579aac360f15186448f4bae
    pixel-no-video | Pixel, video cut off | libraries/test_data/src/test/assets/media/jpeg/pixel-motion-photo-video-removed-shortened.jpg | a1568781c49b0a9b423d897a633be7bcf881e5bf | 37c6cd15e57aaa5a242eaa9f85e30629d5fbd918a8a215e6d3cb2d2743c98a49
    pixel-no-exif | Pixel, EXIF removed, video cut short | libraries/test_data/src/test/assets/media/jpeg/pixel-motion-photo-without-exif-shortened.jpg | 0080b1df12ef1743aa8c085e405ca7576b5e5ff2 | 29acfbb116444f97b67d42cae8b0492bc8f4ea52320b69ce609599c156c467ec
    pixel-two-tracks | Pixel, two HEVC tracks | libraries/test_data/src/test/assets/media/jpeg/pixel-motion-photo-2-hevc-tracks.jpg | c80badf58ccfcf7ce6832a8eb73e3391dde4c115
    pixel-still | Pixel, a still | libraries/test_data/src/test/assets/media/jpeg/non-motion-photo-shortened.jpg | 51323365cfdaa9164587575aab71bfa21feb8288 | 220ad3400bf456e8d099472e687c3deec806589a8ad73095420eeb419f349224
    samsung-micro-video | Galaxy S20 Ultra, MicroVideo, shortened | libraries/test_data/src/test/assets/media/jpeg/ss-motion-photo-shortened.jpg | 12a74eec96b5dc4ce2a4c9159a24074582611449 | 810e0eb52e4e37ae41d2b98b4964af65dc7ce671a0c162d00ff574e7a5462c4a
    android-heic | Android, HEIC | libraries/test_data/src/test/assets/media/heif/sample_MP.heic | 68dd4c4d6de107de7490574c421a4458fb17ff60 | 9a0d28b943d0446ccc6b3973345149a2b7f251a5fffd45fe9284a878b2a42d24
    android-heic-still | Android, HEIC, a still | libraries/test_data/src/test/assets/media/heif/sample_still_photo.heic | 0a673803b7b8e6d9e698cef697da5e44928e1d1b | f89c838064c3025a457f8ae31d19c41a518229723423cdda3c49580a2fbbcde5
    ultra-hdr-still | Ultra HDR, a still | libraries/test_data/src/test/assets/media/jpeg/ultraHDR.jpg | 0ddd7752220fcb376ccf1ae96cd39e87aadac75f | fd0faf6814ee9bf9def60d9841cf3b1f98cb6de8cda3999b485a7f1cb2a3d50b
  `,
  'PetrVys/MotionPhotoSamples': `
    pixel-9-pro-xl | Pixel 9 Pro XL, Ultra HDR | Google Motion Photo/Pixel 9 Pro XL - Ultra HDR.jpg | 8c11aac353a61b7a96d47b6012fb557a28f27e9f
    galaxy-a34 | Galaxy A34 5G | Samsung Motion Photo/Galaxy A34 5G - MP, no HDR, Google MP header, Samsung mpv2 trailer.jpg | 736f63eade9606cca027d2d0612c800ea2de65b3
    galaxy-s20-heic | Galaxy S20, HEIC, only Samsung's trailer | Samsung Motion Photo/Galaxy S20 - MP, no HDR, Only Samsung versionless trailer.heic | 48e3a708cc4b448d7b39cc343f2903538d9d0a0a
    galaxy-s20fe-heic | Galaxy S20 FE, HEIC | Samsung Motion Photo/Galaxy S20FE - MP, no HDR, Google MP header, Samsung mpv2 trailer.heif | 01724f19f86556229dad09c8f834fb11b4359d05 | 3b9da515a1ddf66910397c7f9165e254b8022fc82b0d0436bfc91952c26e7baf
    galaxy-s20fe | Galaxy S20 FE | Samsung Motion Photo/Galaxy S20FE - MP, no HDR, Google MP header, Samsung mpv2 trailer.jpg | 5d7abc43d2e19e7fc8df663eb03ee50d82896f9e
    galaxy-s23-ultra-heic | Galaxy S23 Ultra, HEIC | Samsung Motion Photo/Galaxy S23 Ultra - MP, no HDR, Google MP header, Samsung mpv3 trailer.heic | d7c1083a564da83ced78a776d6af99d68abadd30
    galaxy-tab-s9-heic | Galaxy Tab S9, HEIC | Samsung Motion Photo/Galaxy Tab S9 - MP, no HDR, Google MP header, Samsung mpv3 trailer.heic | 2afb8f2afccf37aa75c529e39438f2437e8d62ce
    galaxy-tab-s9 | Galaxy Tab S9 | Samsung Motion Photo/Galaxy Tab S9 - MP, no HDR, Google MP header, Samsung mpv3 trailer.jpg | f39433ce5c310c3fc698eeb11aab41a1b232ffd5
    iphone-15-photo | iPhone 15, Live Photo | Apple Live Photo/Apple iPhone 15 - photo.HEIC | 681b98f164d5d0056f64a63b546e9aadae296144
    iphone-15-video | iPhone 15, video of a Live Photo | Apple Live Photo/Apple iPhone 15 - video.MOV | 41c3b80dfb750ee37816e1d702ba4999560a2a22 | 7602b94a3de6f0aa1723c940145c57a426616aae3afcea4df4cccb025375df9e
  `,
  'immich-app/test-assets': `
    pixel-6-pro | Pixel 6 Pro | formats/motionphoto/pixel-6-pro.jpg | 6e261261b7616774facd8b099e0f5c842c29bd8c
    pixel-8a | Pixel 8a | formats/motionphoto/pixel-8a.jpg | 21b9727607af937261b2b7d5599d0e409d8ca17a
    samsung-one-ui-5 | Galaxy, One UI 5 | formats/motionphoto/samsung-one-ui-5.jpg | 5a4d4a503c24aefd21f73c117b2c28813b05f5a8
    samsung-one-ui-6 | Galaxy, One UI 6 | formats/motionphoto/samsung-one-ui-6.jpg | ae79645256fbab6709f05ef809cbe0480ee4b261
    samsung-one-ui-6-heic | Galaxy, One UI 6, HEIC | formats/motionphoto/samsung-one-ui-6.heic | 88b6234b9542adf802eb9848c4897ab71ebcea52 | 4a604f5f28dee41565f766585ab4b29026e0031389504a0d2152a3b844a7e19c
  `,
  'ente-io/motion_photos': `
    samsung-jpeg | Galaxy | assets/motionphoto.jpg | 062686cd8a27d8966c92137c1d5e612e8d3a87a4
    samsung-heic | Galaxy, HEIC | assets/motionphoto.heic | 43593c6ed734a2e9b477fa79f53204ddbd995423 | 1f99b641209f101c78e038a0a2e150e85ad4c48496887c767274f120a424274e
    pixel-6 | Pixel 6 | assets/pixel_6_small_video.jpg | b82dca4284d37c3825bad72e610f787dd89ab95d
    pixel-8-pro-still | Pixel 8 Pro, Ultra HDR, a still | assets/pixel_8.jpg | 9a229dd011b76ced1c487ccb9cf81ca18b0267fc | 2377e48d9a9c051a9c50b451258d6d21d161ceec2de89d1ca020b9b924d868d5
  `,
  'g0ddest/sm_motion_photo': `
    galaxy-s22-ultra-heic | Galaxy S22 Ultra, HEIC | tests/data/photo-sg22-ultra.heic | 09c5589bf2742db5211903ba3dc22674f087eb09 | 3dfb0d488cd885652cf49abe846655bf50be27da6eec342d58d90d738e378752
  `,
  'sickelap/motion-photo-samples': `
    pixel-sample-1 | Pixel | google_pixel_sample_1.jpg | 25761ab6ea6eb4416ff16a682f716356b1a069f8
    pixel-sample-2 | Pixel | google_pixel_sample_2.jpg | 49f1517e767ba7a3e0cd5efeca134b6e7f3fd28a
  `,
  'photoprism/photoprism': `
    photoprism-samsung | Galaxy | assets/examples/samsung-motion-photo.jpg | 60ce5f1fbfbda21730c4ce5cbd2a9e33c237d9c8
    iphone-15-pro-still | iPhone 15 Pro, a photo alone | assets/examples/iphone_15_pro.heic | 22418104b675f452cacc9f54aa83daa0f01df16b | c68e438f92341da271a731a059113db9395366f4c2f78ead5ded64deba7de463
  `,
  'code-path/goLive': `
    wallpaper-video | iPhone OS 17.0, video of a wallpaper | base/base.mov | 7e99edd5059e59cd5dfe2aa6fa3a8d847fb7871d | 75159f26b2939722e8e8f151b843dedb277473337061551db0aab4d7c66fff95
  `,
}

export const REAL_FILES: readonly RealFile[] = Object.entries(FILES).flatMap(([repository, files]) =>
  files
    .trim()
    .split('\n')
    .map((line) => fileOf(repository, line)),
)

function fileOf(repository: string, line: string): RealFile {
  const [name = '', phone = '', path = '', blob = '', sha256] = line.trim().split(' | ')
  return { name, repository, path, phone, blob, sha256 }
}
