#!/usr/bin/env bash
# Builds a small static ffmpeg out of Debian's signed source packages, for the processor of this machine: only what this
# project's arguments need, without any network code. The smaller alternative to the published one; see README.md.
#
#   layers/ffmpeg/build-from-source.sh [--work FOLDER] [--out FOLDER]
#
# Needs Debian 12 or newer, nothing of root, and the packages listed in `tools` below. Takes minutes. The work folder
# (default: a new one, removed at the end) keeps what is finished, so that a second run goes on where the first ended.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

tools=(gcc g++ make nasm cmake meson ninja pkg-config autoconf automake libtoolize dpkg-source xz)
tool_packages=(build-essential dpkg-dev nasm cmake meson ninja-build pkg-config autoconf automake libtool xz-utils)
sources=(ffmpeg x264 zimg dav1d libvpx zlib)

work='' out=()
while (($# > 0)); do
  case $1 in
    --work) work=$2 ;;
    --out) out=(--out "$2") ;;
    *) echo "Unknown: $1" >&2 && exit 2 ;;
  esac
  shift 2
done

main() {
  refuse_without_tools
  if [[ -z $work ]]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
  fi
  mkdir -p "$work/prefix/lib/pkgconfig"
  work=$(cd "$work" && pwd)
  prefix=$work/prefix
  export LC_ALL=C PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
  flags='-O3 -ffunction-sections -fdata-sections'
  export CFLAGS=$flags CXXFLAGS=$flags
  jobs=$(nproc)
  once sources fetch_sources
  local name
  for name in zlib x264 zimg dav1d libvpx ffmpeg; do once "$name" "build_$name"; done
  local program=$work/ffmpeg-small
  install -m 755 "$work/ffmpeg/ffmpeg" "$program"
  strip --strip-all "$program"
  # Checks it, too, and puts the licence beside it.
  node "$here/build.mjs" --arch "$(uname -m)" --from "$program" "${out[@]}" \
    --sha256 "$(sha256sum <"$program" | cut -d ' ' -f 1)" --origin "$(origin)"
}

origin() {
  echo "built by build-from-source.sh from the Debian source packages" "$work"/*.dsc | sed "s|$work/||g; s|\.dsc\b||g"
}

refuse_without_tools() {
  local tool
  for tool in "${tools[@]}"; do
    command -v "$tool" >/dev/null && continue
    echo "$tool is missing. As root: apt-get install ${tool_packages[*]}" >&2
    exit 1
  done
}

# once NAME COMMAND: unless it was finished before in this work folder.
once() {
  [[ -e $work/$1.done ]] && return
  echo "=== $1  [$((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))]"
  # In the background, because bash forgets `set -e` inside of any condition.
  (cd "$work" && "$2") >"$work/$1.log" 2>&1 &
  wait $! || {
    tail -n 40 "$work/$1.log" >&2
    exit 1
  }
  touch "$work/$1.done"
}

# With an index of its own, so that the machine's is left alone. apt checks signatures and checksums.
fetch_sources() {
  local codename
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mkdir -p apt/lists/partial apt/parts apt/cache
  cat >apt/parts/source.sources <<SOURCES
Types: deb-src
URIs: ${DEBIAN_MIRROR:-http://deb.debian.org/debian}
Suites: $codename $codename-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb-src
URIs: ${DEBIAN_SECURITY_MIRROR:-http://deb.debian.org/debian-security}
Suites: $codename-security
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
  local apt=(apt-get -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/apt/parts"
    -o "Dir::State::lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache" -o APT::Sandbox::User=)
  "${apt[@]}" update
  "${apt[@]}" source --download-only "${sources[@]}"
  local name description
  for name in "${sources[@]}"; do
    rm -rf "$name"
    description=$(ls "$name"_*.dsc)
    dpkg-source --extract "$description" "$name"
  done
}

build_zlib() {
  cd zlib
  ./configure --static --prefix="$prefix"
  make -j"$jobs" install
}

build_x264() {
  cd x264
  ./configure --prefix="$prefix" --enable-static --disable-cli --disable-opencl --bit-depth=8 \
    --disable-avs --disable-swscale --disable-lavf --disable-ffms --disable-gpac --disable-lsmash \
    --extra-cflags="$flags"
  make -j"$jobs" install-lib-static
}

build_zimg() {
  cd zimg
  autoreconf --force --install
  ./configure --prefix="$prefix" --disable-shared --enable-static --with-pic=no
  make -j"$jobs" install
}

build_dav1d() {
  meson setup dav1d/build dav1d --prefix="$prefix" --libdir=lib --buildtype=release --default-library=static \
    -Denable_tools=false -Denable_tests=false -Denable_examples=false
  ninja -j "$jobs" -C dav1d/build install
}

build_libvpx() {
  mkdir -p libvpx/build && cd libvpx/build
  ../configure --prefix="$prefix" --disable-shared --enable-static --disable-examples --disable-tools --disable-docs \
    --disable-unit-tests --disable-vp8-encoder --disable-vp9-encoder --enable-vp9-highbitdepth \
    --enable-runtime-cpu-detect
  make -j"$jobs" install
}

# Lists that follow what core/media asks of ffmpeg: whichever upload it accepts, and what it makes of it.
demuxers=mov,matroska,gif,avi,mpegts,mpegps,flv,ogg,asf,apng,h264,mjpeg,rawvideo,pcm_s16le
# By these ffmpeg finds out what a transport or program stream carries.
demuxers+=,hevc,mpegvideo,m4v,aac,ac3,eac3,dts,mp3,loas,truehd
muxers=mp4,mov,h264,mjpeg,rawvideo,framecrc,null,adts
protocols=file,pipe
encoders=libx264,aac,mjpeg,rawvideo,wrapped_avframe,pcm_s16le
picture_decoders=h264,hevc,libdav1d,vp8,vp9,libvpx_vp8,libvpx_vp9,mpeg1video,mpeg2video,mpegvideo,mpeg4,h263,h263i,h263p
picture_decoders+=,h261,flv,vp6,vp6a,vp6f,vp3,theora,msmpeg4v1,msmpeg4v2,msmpeg4v3,wmv1,wmv2,wmv3,vc1,mss1,mss2,mjpeg,mjpegb
picture_decoders+=,gif,apng,png,prores,dnxhd,cfhd,dvvideo,svq1,svq3,cinepak,indeo3,indeo5,qtrle,rpza,smc,msvideo1,msrle,qdraw
picture_decoders+=,huffyuv,ffvhuff,ffv1,utvideo,magicyuv,lagarith,hap,rawvideo,v210,v410,yuv4,flashsv,flashsv2,dirac,tscc,zlib,zmbv
sound_decoders=aac,aac_latm,mp1float,mp2float,mp3float,ac3,eac3,dca,truehd,mlp,opus,vorbis,flac,alac,speex,nellymoser
sound_decoders+=,amrnb,amrwb,wmav1,wmav2,wmapro,wmalossless,wmavoice,gsm,gsm_ms,qdm2,qdmc,mace3,mace6,adpcm_ima_wav
sound_decoders+=,adpcm_ima_qt,adpcm_ms,adpcm_swf,adpcm_yamaha,adpcm_g726,pcm_alaw,pcm_mulaw,pcm_u8,pcm_s8,pcm_s16le,pcm_s16be
sound_decoders+=,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_f64le,pcm_f64be,pcm_bluray,pcm_dvd,pcm_lxf
parsers=aac,aac_latm,ac3,av1,cook,dca,dirac,dnxhd,dvd_nav,flac,gif,gsm,h261,h263,h264,hevc,mjpeg,mlp,mpeg4video,mpegaudio
parsers+=,mpegvideo,opus,png,sipr,vc1,vorbis,vp3,vp8,vp9
bitstream_filters=aac_adtstoasc,av1_frame_merge,av1_frame_split,extract_extradata,h264_mp4toannexb,hevc_mp4toannexb
bitstream_filters+=,mpeg4_unpack_bframes,null,vp9_superframe,vp9_superframe_split,dca_core,pcm_rechunk,setts
# Those that are asked for, and those that ffmpeg puts in by itself: turning a picture upright, converting a format.
filters=fps,scale,format,setsar,showinfo,color,overlay,split,trim,atrim,setpts,asetpts,tpad,zscale,tonemap,bwdif,nullsink
filters+=,lutrgb,colorchannelmixer,blend
filters+=,aresample,apad,atempo,select,null,anull,copy,aformat,transpose,hflip,vflip,rotate,crop,pad,asplit,concat,testsrc

build_ffmpeg() {
  cd ffmpeg
  ./configure --enable-gpl --disable-autodetect --disable-everything --disable-network --disable-doc \
    --disable-debug --disable-ffplay --disable-ffprobe --disable-avdevice --disable-postproc --disable-shared \
    --enable-static --enable-pthreads --enable-zlib --enable-libx264 --enable-libzimg --enable-libdav1d --enable-libvpx \
    --enable-protocol="$protocols" --enable-demuxer="$demuxers" --enable-muxer="$muxers" --enable-encoder="$encoders" \
    --enable-decoder="$picture_decoders,$sound_decoders" --enable-parser="$parsers" --enable-bsf="$bitstream_filters" \
    --enable-filter="$filters" --optflags=-O3 --pkg-config-flags=--static \
    --extra-cflags="$flags" --extra-ldflags=-Wl,--gc-sections \
    --extra-ldexeflags=-static --extra-libs='-lstdc++ -lm -lpthread'
  make -j"$jobs" ffmpeg
}

main
