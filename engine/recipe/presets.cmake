# SPDX-License-Identifier: Apache-2.0
# Compiles resources/presets into octet_core: a generated source holds each file's text. Order is the order of lists.
set(octet_presets baseline accelerate-default te-default hybrid-16 e4m3-16 te-current te-current-po2 te-block mxfp8 ao-tensorwise ao-rowwise ao-rowwise-gw-hp)
set(octet_preset_entries "")
foreach(preset ${octet_presets})
  set(preset_file ${PROJECT_SOURCE_DIR}/resources/presets/${preset}.octet.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${preset_file})
  file(READ ${preset_file} preset_text)
  string(APPEND octet_preset_entries "    {\"${preset}\", R\"octet(${preset_text})octet\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/preset_texts.cpp @ONLY CONTENT
"// SPDX-License-Identifier: Apache-2.0
// Generated from resources/presets by engine/recipe/presets.cmake.
#include \"engine/recipe/preset_texts.h\"

namespace octet::recipe {
namespace {
constexpr PresetText kTexts[] = {
@octet_preset_entries@};
}  // namespace

std::span<const PresetText> presetTexts() { return kTexts; }

}  // namespace octet::recipe
")
target_sources(octet_core PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/preset_texts.cpp)
