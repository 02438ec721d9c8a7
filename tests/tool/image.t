#!/bin/bash
# image.t - view_image: kinds and sizes by content, limits, refusals.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"

v() { timeout 30 hamr-tool --no-config --root . --json view_image "$@"; }
python3 - <<'E'
import struct, zlib, base64
def chunk(t, d):
    return struct.pack('>I', len(d)) + t + d + \
        struct.pack('>I', zlib.crc32(t + d))
png = b'\x89PNG\r\n\x1a\n' + \
    chunk(b'IHDR', struct.pack('>IIBBBBB', 3, 5, 8, 0, 0, 0, 0)) + \
    chunk(b'IDAT', zlib.compress(b'\0\1\2\3' * 5)) + chunk(b'IEND', b'')
gif = b'GIF89a' + struct.pack('<HH', 7, 300) + b'\0\0\0;'
jpeg = b'\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0' + \
    b'\xff\xfe\0\5abc' + b'\xff\xff' + b'\xff\xc4\0\4ab' + \
    b'\xff\xc2\0\x0b\x08' + struct.pack('>HH', 480, 640) + b'\1\1\x11\0'
def riff(kind, body):
    return b'RIFF' + struct.pack('<I', len(body) + 12) + b'WEBP' + kind + \
        struct.pack('<I', len(body)) + body
vp8 = riff(b'VP8 ', b'\0\0\0\x9d\x01\x2a' + struct.pack('<HH', 0x4000 | 33,
    44) + b'\0' * 8)
vp8l = riff(b'VP8L', b'\x2f' + struct.pack('<I', (99) | (199 << 14)) +
    b'\0' * 9)
vp8x = riff(b'VP8X', b'\0\0\0\0' + struct.pack('<I', 4999)[:3] +
    struct.pack('<I', 2999)[:3] + b'\0' * 8)
files = dict(png=png, gif=gif, jpeg=jpeg, vp8=vp8, vp8l=vp8l, vp8x=vp8x)
for name, data in files.items():
    open(name + '.txt', 'wb').write(data)      # by content, not by name
    for cut in range(0, len(data)):
        open('cut.%s.%d' % (name, cut), 'wb').write(data[:cut])
open('zero.png', 'wb').write(png[:16] + b'\0' * 8 + png[24:])
open('loop.jpg', 'wb').write(b'\xff\xd8' + b'\xff\xe0\0\0' * 1000)
open('max.png', 'wb').write(png + b'\0' * (3750000 - len(png)))
open('over.png', 'wb').write(png + b'\0' * (3750001 - len(png)))
E
meta() { jq -c '[.meta.mime, .meta.width, .meta.height]'; }
is "PNG" "$(v '{"path":"png.txt"}' | meta)" '["image/png",3,5]'
is "GIF" "$(v '{"path":"gif.txt"}' | meta)" '["image/gif",7,300]'
is "JPEG" "$(v '{"path":"jpeg.txt"}' | meta)" '["image/jpeg",640,480]'
is "WebP lossy" "$(v '{"path":"vp8.txt"}' | meta)" '["image/webp",33,44]'
is "WebP lossless" "$(v '{"path":"vp8l.txt"}' | meta)" \
	'["image/webp",100,200]'
is "WebP extended" "$(v '{"path":"vp8x.txt"}' | meta)" \
	'["image/webp",5000,3000]'
v '{"file_path":"./png.txt"}' >../out
is "a text part" "$(jq -c '.content[0]' ../out)" \
	"{\"type\":\"text\",\"text\":\"png.txt: PNG, 3 x 5, $(wc -c <png.txt) bytes\\n\"}"
is "an image part" "$(jq -r '.content[1] | .type + " " +
	(.image_url.url | sub(",.*"; ""))' ../out)" \
	"image_url data:image/png;base64"
jq -r '.content[1].image_url.url | sub(".*,"; "")' ../out | base64 -d >../back
same "its bytes" ../back png.txt
is "path" "$(jq -r .meta.path ../out)" png.txt
is "by hand: one line" "$(hamr-tool --no-config --root . view_image \
	'{"path":"png.txt"}')" "png.txt: PNG, 3 x 5, $(wc -c <png.txt) bytes"
is "a model without eyes" "$(v '{"path":"png.txt"}' -o provider.vision=false |
	jq -c '[(.content | type), .meta.width, .is_error]')" '["string",3,null]'
is "as large as may be" "$(v '{"path":"max.png"}' | meta)" '["image/png",3,5]'
is "one byte more" "$(v '{"path":"over.png"}' | jq -r .meta.error)" too_large
is "no size" "$(v '{"path":"zero.png"}' | jq -r .meta.error)" bad_arguments
is "broken off" "$(v '{"path":"loop.jpg"}' | jq -r .meta.error)" bad_arguments
bad=
for f in cut.*; do
	timeout 30 hamr-tool --no-config --root . view_image \
		"{\"path\":\"$f\"}" >/dev/null 2>&1
	[ $? -le 1 ] || bad="$bad $f"
done
is "cut at every byte" "$bad" ""
code() { v "{\"path\":\"$1\"}" | jq -r .meta.error; }
mkfifo fifo; mkdir dir; ln -s /etc/passwd out; ln -s png.txt in; cp png.txt .env
is "no file" "$(code none) $(code dir) $(code fifo) $(code png.txt/)" \
	"not_found bad_arguments bad_arguments not_found"
is "not outside, no secrets" "$(code ../x) $(code out) $(code .env) \
$(code .git/x)" "denied denied denied denied"
is "a link inside" "$(v '{"path":"in"}' | meta)" '["image/png",3,5]'
is "refused gets no start" "$(call a view_image '{"path":".env"}' \
	b view_image '{}' c view_image '{"path":"png.txt"}' |
	hamr-tool -n --no-config --root . | codes)" \
"tool a denied
tool b bad_arguments
start c -
tool c -"
ok "in every mode" sh -c 'for m in read-only patch verify docs; do
	hamr-tool --no-config --root . --mode $m view_image \
	    "{\"path\":\"png.txt\"}" || exit 1; done'
done_testing
