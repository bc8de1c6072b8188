/** What a video or an animation says of itself before it is decoded. @see core/formats/README.md */

export type { MovieTags } from './capture/movieTags'
export { readMovieMarks, readStillMarks } from './capture/pairMarks'
export type { PhotoClocks } from './capture/photoClocks'
export { readLiveMovie } from './livePhoto/liveMovie'
export { wallpaperOf } from './livePhoto/wallpaper'
export { type ContainerProblem, containerProblem } from './videoFile/containerProblem'
export { surveyMovie } from './videoFile/surveyMovie'
export { surveyVideo } from './videoFile/surveyVideo'
